// SPDX-License-Identifier: Apache-2.0
// The server's side of TLS with a certificate made for the test, for origins on raw sockets.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace arkvory::test {

struct TlsSettings {
  std::string names = "IP:127.0.0.1";             // subjectAltName
  std::chrono::seconds valid_for{48L * 60 * 60};  // from now on; less than 0: expired
  std::string protocol{};                         // chosen by ALPN, such as `h2`; empty: whatever, http/1.1
};

// One connection. Over a non-blocking descriptor, which stays the caller's.
class TlsSession {
 public:
  enum class Wants { nothing, to_read, to_write, to_end };
  struct Step {
    std::size_t bytes = 0;         // done
    Wants wants = Wants::nothing;  // where `bytes` is 0: what to wait for, or the end
  };
  virtual ~TlsSession() = default;
  // Both do the handshake first where it is not done yet.
  virtual Step read(std::span<std::byte> into) = 0;
  virtual Step write(std::span<const std::byte> bytes) = 0;
  // close_notify, as far as the kernel takes it at once.
  virtual void say_goodbye() = 0;
};

class TlsServer {
 public:
  explicit TlsServer(const TlsSettings& settings = {});
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // For a client that is to trust it.
  const std::string& certificate_pem() const;
  // For a server that is to be this one.
  std::string key_pem() const;
  std::unique_ptr<TlsSession> accept(int descriptor) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arkvory::test
