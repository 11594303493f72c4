// SPDX-License-Identifier: Apache-2.0
#include "core/base/base64.h"

#include <cstdint>

namespace arkvory {

namespace {

constexpr std::string_view kCommon = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kForUrls = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::span<const std::byte> bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const auto byte : bytes) {
    held = held << 8U | std::to_integer<std::uint32_t>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text.push_back(alphabet[held >> (bits - 6) & 63U]);
  }
  if (bits > 0) text.push_back(alphabet[held << (6 - bits) & 63U]);
  return text;
}

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  auto text = encode(bytes, kCommon);
  text.resize((text.size() + 3) / 4 * 4, '=');
  return text;
}

std::string to_base64url(std::span<const std::byte> bytes) { return encode(bytes, kForUrls); }

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  const auto padding = text.size() - (text.find_last_not_of('=') + 1);
  if (padding > 2 || (padding > 0 && text.size() % 4 != 0)) return std::nullopt;
  text.remove_suffix(padding);
  if (text.size() % 4 == 1) return std::nullopt;

  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const auto value = kCommon.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = held << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::byte>(held >> bits & 255U));
  }
  return bytes;
}

}  // namespace arkvory
