// SPDX-License-Identifier: Apache-2.0
// The client's side of TLS over a blocking socket. It takes any certificate: what a server shows is for the test to
// see.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace arkvory::test {

struct TlsTerms {
  std::string versions{};  // as TLS names them, such as `TLSv1.1`: only this one; empty: what OpenSSL likes
  std::string ciphers{};   // for 1.2 and below; empty: likewise
  std::string protocol{};  // asked for by ALPN; empty: none
};

class TlsClient {
 public:
  // Agrees on keys over the descriptor, which stays the caller's.
  TlsClient(int descriptor, const TlsTerms& terms);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  bool is_agreed() const;
  std::string version() const;
  std::string protocol() const;         // chosen by ALPN; empty: none
  std::string certificate_pem() const;  // that the server showed
  std::string problem() const;          // why there is no agreement

  bool send(std::string_view text);
  // Bytes that came; 0 at the end or where none come in time.
  std::size_t receive(std::span<char> into);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arkvory::test
