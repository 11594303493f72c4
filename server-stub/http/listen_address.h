// SPDX-License-Identifier: Apache-2.0
// Where to listen: `127.0.0.1:8080`, `[::1]:0`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arkvory::server {

struct ListenAddress {
  std::string host = "127.0.0.1";  // a literal address, IPv6 without brackets
  std::uint16_t port = 0;          // 0: the system chooses one
  bool is_ipv6 = false;

  // A literal IPv4 address or an IPv6 one in brackets, a colon and a port. Names are not looked up.
  static std::optional<ListenAddress> parse(std::string_view text);
  // 127.0.0.0/8 or ::1.
  bool is_loopback() const;
  // `http://127.0.0.1:8080`, or with `https`.
  std::string url(bool is_secure) const;
};

}  // namespace arkvory::server
