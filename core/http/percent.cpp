// SPDX-License-Identifier: Apache-2.0
#include "core/http/percent.h"

namespace arkvory {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte encoded at the front of `text`, or nothing where there is none.
std::optional<char> encoded_byte(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded.push_back(text[at]);
      continue;
    }
    const auto byte = encoded_byte(text.substr(at));
    if (!byte) return std::nullopt;
    decoded.push_back(*byte);
    at += 2;
  }
  return decoded;
}

std::string percent_decoded_where_valid(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = encoded_byte(text.substr(at));
    decoded.push_back(byte.value_or(text[at]));
    if (byte) at += 2;
  }
  return decoded;
}

std::string percent_encoded_where_needed(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) {
      encoded.push_back(c);
      continue;
    }
    encoded.push_back('%');
    encoded.push_back(digits[byte >> 4U]);
    encoded.push_back(digits[byte & 15U]);
  }
  return encoded;
}

}  // namespace arkvory
