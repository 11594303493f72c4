// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>

#include "core/base/size.h"

namespace arkvory::server {
namespace {

// ::ffff:0:0/96
constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned kMappedBits = 96;
constexpr unsigned kAllBits = 128;

// `address` without the bits behind `length`.
IpAddress::Bytes cut(IpAddress::Bytes address, unsigned length) {
  for (std::size_t i = 0; i < address.size(); ++i) {
    const auto kept = std::clamp(static_cast<int>(length) - static_cast<int>(i) * 8, 0, 8);
    address[i] = static_cast<unsigned char>(address[i] & (0xFF00 >> kept));
  }
  return address;
}

}  // namespace

IpAddress::IpAddress() : IpAddress(std::array<unsigned char, 4>{}) {}

IpAddress::IpAddress(const std::array<unsigned char, 4>& ipv4) : bytes_{} {
  std::copy(kMapped.begin(), kMapped.end(), bytes_.begin());
  std::copy(ipv4.begin(), ipv4.end(), bytes_.begin() + kMapped.size());
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  std::array<unsigned char, 4> ipv4{};
  if (inet_pton(AF_INET, terminated.c_str(), ipv4.data()) == 1) return IpAddress(ipv4);
  Bytes ipv6{};
  if (inet_pton(AF_INET6, terminated.c_str(), ipv6.data()) == 1) return IpAddress(ipv6);
  return std::nullopt;
}

bool IpAddress::is_ipv4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes_.begin()); }

bool IpAddress::is_loopback() const {
  constexpr Bytes kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return is_ipv4() ? bytes_[kMapped.size()] == 127 : bytes_ == kLoopback;
}

std::string IpAddress::who() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_ipv4()) {
    inet_ntop(AF_INET, bytes_.data() + kMapped.size(), text.data(), text.size());
    return text.data();
  }
  const auto network = cut(bytes_, 64);
  inet_ntop(AF_INET6, network.data(), text.data(), text.size());
  return std::string(text.data()) + "/64";
}

std::optional<Network> Network::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto base = IpAddress::parse(text.substr(0, slash));
  if (!base) return std::nullopt;
  if (slash == std::string_view::npos) return Network(*base, kAllBits);
  const auto length = parse_number(text.substr(slash + 1));
  // As it is written: a mapped address has the length of IPv6.
  const bool is_short = text.substr(0, slash).find(':') == std::string_view::npos;
  if (!length || *length > (is_short ? kAllBits - kMappedBits : kAllBits)) return std::nullopt;
  const auto bits = static_cast<unsigned>(*length) + (is_short ? kMappedBits : 0);
  if (cut(base->bytes_, bits) != base->bytes_) return std::nullopt;
  return Network(*base, bits);
}

bool Network::contains(const IpAddress& address) const {
  return base_.is_ipv4() == address.is_ipv4() && cut(address.bytes_, length_) == base_.bytes_;
}

}  // namespace arkvory::server
