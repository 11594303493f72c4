// SPDX-License-Identifier: Apache-2.0
// An HTTP origin on a raw socket of loopback that does exactly what a test scripts, right or wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/http/headers.h"
#include "tests/support/object_answer.h"
#include "tests/support/tls_server.h"

namespace arkvory::test {

struct RawRequest {
  std::string method;
  std::string target;
  Headers headers;
  int connection = 0;  // counted from 1
  int number = 0;      // over all connections, from 1
};

// What the origin saw and did, one entry per request.
struct Served {
  RawRequest request;
  Instant time;                  // when its head was whole
  std::uint64_t bytes_sent = 0;  // of the answer as far as the kernel took it, head included
};

// The client's connection in the hands of a handler. Its functions do nothing once it is closed.
class RawConnection {
 public:
  virtual ~RawConnection() = default;
  // False once it is closed from either side, as far as sending has noticed.
  virtual bool is_open() const = 0;
  virtual void send(std::span<const std::byte> bytes) = 0;
  void send(std::string_view text) { send(std::as_bytes(std::span<const char>(text.data(), text.size()))); }
  // A status line of HTTP/1.1 and the fields as given, with the empty line after them.
  void send_head(int status, const Headers& headers);
  // FIN, over TLS after close_notify.
  virtual void close() = 0;
  // FIN and nothing else, over TLS too.
  virtual void hang_up() = 0;
  // RST.
  virtual void reset() = 0;
  // Stays open and silent until the origin stops or the client goes.
  virtual void stall() = 0;
  // Waits until the client closes or resets the connection, or the patience ends; true for the first. What it sends
  // meanwhile is dropped.
  virtual bool wait_for_close(std::chrono::milliseconds patience) = 0;
  // Lets time pass, until the origin stops at the latest. The connection is left as it is.
  virtual void pause(std::chrono::milliseconds time) = 0;

  // For a handler or greeter that reads by itself. What the client sent, beyond the request of the handler: waits for
  // it for `patience`, and is empty where nothing came. Nothing once the client or the origin ended.
  virtual std::optional<std::string> receive(std::chrono::milliseconds patience) = 0;
  // Waits until this connection or `other` can be read. False where the origin ended.
  virtual bool wait_for_either(int other) = 0;
};

struct RawOriginOptions {
  std::string address = "127.0.0.1";
  bool opens_later = false;                // connections are refused until `open`
  int send_buffer = 0;                     // so that what counts as sent was nearly received; 0: the kernel's choice
  std::shared_ptr<const TlsServer> tls{};  // nothing: plain HTTP
};

class RawOrigin {
 public:
  // Called in a thread per connection for each request in turn; returning keeps the connection open for the next one.
  using Handler = std::function<void(const RawRequest&, RawConnection&)>;
  // Called, where given, for each connection that was accepted, before a request is read.
  using Greeter = std::function<void(int connection, RawConnection&)>;

  explicit RawOrigin(Handler handler, Greeter greeter = {}, const RawOriginOptions& options = {});
  // Stops: closes all connections and joins all threads.
  ~RawOrigin();
  RawOrigin(const RawOrigin&) = delete;
  RawOrigin& operator=(const RawOrigin&) = delete;

  // Takes connections from now on.
  void open();

  std::uint16_t port() const;
  // `http://127.0.0.1:PORT` and `path`, with the origin's own scheme and address.
  std::string url(std::string_view path) const;

  std::vector<Served> served() const;
  // When each connection was accepted.
  std::vector<Instant> accepted() const;
  // True as soon as `count` requests have come in all; false after `patience`.
  bool wait_for_requests(int count, std::chrono::milliseconds patience = std::chrono::seconds(20)) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A port of loopback on which nobody listens.
std::uint16_t closed_port();

// A handler for one object in memory that answers every request right. `facts.size` is set from the bytes.
RawOrigin::Handler plain_object(std::vector<std::byte> bytes, ObjectFacts facts = {});

}  // namespace arkvory::test
