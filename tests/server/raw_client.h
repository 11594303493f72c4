// SPDX-License-Identifier: Apache-2.0
// A client on a raw socket of loopback, in plain or through TLS: sends exactly what a test wants and reads answers by
// their Content-Length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/headers.h"
#include "tests/support/tls_client.h"

namespace arkvory::test {

struct Reply {
  int status = 0;
  Headers headers;
  std::string body;
  bool is_whole = false;  // the body has the length that the head states

  std::string header(std::string_view name) const { return std::string(headers.first(name).value_or("")); }
};

class RawClient {
 public:
  // Reads give up after 20 s, which fails the test.
  explicit RawClient(std::uint16_t port);
  RawClient(std::uint16_t port, const TlsTerms& terms);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view text);
  // Reads a head and its body; `has_body` false for the answer to a HEAD. Status 0 where no whole head came.
  Reply read_reply(bool has_body = true);
  // The head only; body bytes stay for `read_some`.
  Reply read_head();
  // At most `most` bytes of what comes next; empty at the end.
  std::string read_some(std::size_t most);
  // All until the other side closes.
  std::string read_to_end();
  // From now on the kernel receives no more than a few KiB before they are read.
  void receive_little() const;
  // Closes the sending end; answers can still be read.
  void end_sending() const;
  // Of one that speaks TLS.
  const TlsClient& tls() const { return *tls_; }
  // Whether the other side has thrown the connection away (RST), seen by a read; not over TLS.
  bool was_reset() const { return was_reset_; }
  // Whether the other side has closed, waiting for it.
  bool is_closed_by_peer() { return read_some(1).empty(); }

 private:
  bool fill();

  int socket_;
  std::unique_ptr<TlsClient> tls_;  // null: in plain
  std::string received_;
  bool was_reset_ = false;
};

// A request with Host; `extra` are whole header lines with their ends.
std::string request(std::string_view method, std::string_view target, std::string_view extra = {});

// One request on a connection of its own.
Reply ask(std::uint16_t port, std::string_view method, std::string_view target, std::string_view extra = {});

}  // namespace arkvory::test
