// SPDX-License-Identifier: Apache-2.0
#include "core/http/host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace arkvory {

namespace {

constexpr std::size_t kLongestName = 253;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool may_stand_in_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_'; }

std::optional<std::uint32_t> digit_of(char c, std::uint32_t base) {
  std::uint32_t value = base;
  if (is_digit(c)) value = static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') value = static_cast<std::uint32_t>(c - 'a') + 10;
  return value < base ? std::optional(value) : std::nullopt;
}

// A part of an address as inet_aton reads it: `0x` begins hexadecimal, `0` octal.
std::optional<std::uint64_t> address_part(std::string_view text) {
  std::uint32_t base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  if (text.empty()) return base == 16 ? std::optional<std::uint64_t>(0) : std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    const auto digit = digit_of(c, base);
    if (!digit) return std::nullopt;
    number = number * base + *digit;
    if (number > 0xFFFFFFFFU) return std::nullopt;
  }
  return number;
}

std::vector<std::string_view> split_at_dots(std::string_view text) {
  std::vector<std::string_view> parts;
  for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

// Would be read as an address, well or not: the last part is a number.
bool looks_like_ipv4(std::string_view last_part) {
  return address_part(last_part).has_value() ||
         (!last_part.empty() && std::all_of(last_part.begin(), last_part.end(), is_digit));
}

// One to four parts; the last one fills the bytes that are left.
std::optional<std::string> canonical_ipv4(const std::vector<std::string_view>& parts) {
  if (parts.size() > 4) return std::nullopt;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto part = address_part(parts[i]);
    if (!part || *part > 255) return std::nullopt;
    address |= *part << (24 - 8 * i);
  }
  const auto last = address_part(parts.back());
  if (!last || *last >= std::uint64_t{1} << (8 * (5 - parts.size()))) return std::nullopt;
  address |= *last;
  return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." +
         std::to_string(address >> 8U & 255U) + "." + std::to_string(address & 255U);
}

using Ipv6 = std::array<unsigned char, 16>;

std::optional<Ipv6> parse_ipv6(const std::string& text) {
  Ipv6 address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) != 1) return std::nullopt;
  return address;
}

std::optional<std::string> canonical_ipv6(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const auto address = parse_ipv6(std::string(text));
  if (!address) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> printed{};
  inet_ntop(AF_INET6, address->data(), printed.data(), printed.size());
  return std::string(printed.data());
}

bool is_mapped_ipv4(const Ipv6& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](unsigned char byte) { return byte == 0; }) &&
         address[10] == 0xFF && address[11] == 0xFF;
}

}  // namespace

bool is_ipv6(std::string_view host) { return host.find(':') != std::string_view::npos; }

std::optional<std::string> canonical_host(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']') && text.size() > 2)
    return canonical_ipv6(text.substr(1, text.size() - 2));
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(), lower);
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), may_stand_in_name))
    return std::nullopt;
  if (name.find_first_not_of('.') == std::string::npos) return std::nullopt;

  auto without_dot = std::string_view(name);
  if (without_dot.ends_with('.')) without_dot.remove_suffix(1);
  const auto parts = split_at_dots(without_dot);
  if (looks_like_ipv4(parts.back())) return canonical_ipv4(parts);
  return name;
}

bool is_loopback_host(const std::string& host) {
  if (host == "localhost" || host == "::1") return true;
  std::array<unsigned char, 4> address{};
  return inet_pton(AF_INET, host.c_str(), address.data()) == 1 && address[0] == 127;
}

bool is_link_local_host(const std::string& host) {
  std::array<unsigned char, 4> ipv4{};
  if (inet_pton(AF_INET, host.c_str(), ipv4.data()) == 1) return ipv4[0] == 169 && ipv4[1] == 254;
  const auto ipv6 = parse_ipv6(host);
  if (!ipv6) return false;
  if (is_mapped_ipv4(*ipv6)) return (*ipv6)[12] == 169 && (*ipv6)[13] == 254;
  return (*ipv6)[0] == 0xFE && ((*ipv6)[1] & 0xC0U) == 0x80U;
}

}  // namespace arkvory
