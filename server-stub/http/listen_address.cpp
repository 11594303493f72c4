// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/listen_address.h"

#include <arpa/inet.h>

#include <array>

#include "core/base/size.h"
#include "server-stub/http/ip_address.h"

namespace arkvory::server {

std::optional<ListenAddress> ListenAddress::parse(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_number(text.substr(colon + 1));
  if (!port || *port > 65535) return std::nullopt;
  auto host = text.substr(0, colon);
  ListenAddress address;
  address.port = static_cast<std::uint16_t>(*port);
  address.is_ipv6 = host.starts_with('[') && host.ends_with(']');
  if (address.is_ipv6) host = host.substr(1, host.size() - 2);
  address.host = host;
  std::array<unsigned char, 16> binary{};
  if (inet_pton(address.is_ipv6 ? AF_INET6 : AF_INET, address.host.c_str(), binary.data()) != 1) return std::nullopt;
  return address;
}

bool ListenAddress::is_loopback() const { return IpAddress::parse(host).value_or(IpAddress()).is_loopback(); }

std::string ListenAddress::url(bool is_secure) const {
  return (is_secure ? "https://" : "http://") + (is_ipv6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

}  // namespace arkvory::server
