// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/stored_text.h"

#include <cstddef>

namespace arkvory {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string bytes_to_hex(std::string_view bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    hex.push_back(kDigits[value >> 4U]);
    hex.push_back(kDigits[value & 15U]);
  }
  return hex;
}

std::optional<std::string> bytes_from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    const auto high = kDigits.find(hex[at]);
    const auto low = kDigits.find(hex[at + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace arkvory
