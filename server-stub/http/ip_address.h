// SPDX-License-Identifier: Apache-2.0
// Addresses of clients and of networks, as values. An IPv4 address that is mapped into IPv6 is the IPv4 address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arkvory::server {

class IpAddress {
 public:
  using Bytes = std::array<unsigned char, 16>;

  // 0.0.0.0
  IpAddress();
  explicit IpAddress(const std::array<unsigned char, 4>& ipv4);
  explicit IpAddress(const Bytes& ipv6) : bytes_(ipv6) {}
  // A literal of either kind, without brackets, port and zone.
  static std::optional<IpAddress> parse(std::string_view text);

  bool is_ipv4() const;
  // 127.0.0.0/8 or ::1.
  bool is_loopback() const;
  // Of IPv4 the address, of IPv6 the network with `/64`: a machine changes the rest at will.
  std::string who() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  friend class Network;
  Bytes bytes_;  // of IPv4 as it is mapped
};

// `192.0.2.0/24`, `2001:db8::/32`
class Network {
 public:
  // An address without a length is the network of that address alone. Nothing also where bits are set behind the
  // length, for then one of the two is a slip.
  static std::optional<Network> parse(std::string_view text);

  // No IPv4 address is in a network of IPv6.
  bool contains(const IpAddress& address) const;

 private:
  Network(const IpAddress& base, unsigned length) : base_(base), length_(length) {}

  IpAddress base_;
  unsigned length_;  // of the 128 bits
};

}  // namespace arkvory::server
