// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"

#include <cstddef>

#include "core/base/ensure.h"

namespace arkvory {

namespace {

struct Character {
  char32_t value = 0;
  std::size_t length = 0;  // 0: no character begins here
};

struct Form {
  unsigned char mask;   // of the first byte
  unsigned char begin;  // what it is under the mask
  std::size_t length;
  char32_t smallest;  // below this a shorter form is the right one
};

constexpr Form kForms[] = {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

Character read_form(std::string_view text, const Form& form) {
  if (text.size() < form.length) return {};
  auto value = static_cast<char32_t>(static_cast<unsigned char>(text[0]) & static_cast<unsigned char>(~form.mask));
  for (std::size_t i = 1; i < form.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    value = value << 6U | (byte & 0x3FU);
  }
  if (value < form.smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, form.length};
}

Character read_character(std::string_view text) {
  for (const auto& form : kForms)
    if ((static_cast<unsigned char>(text[0]) & form.mask) == form.begin) return read_form(text, form);
  return {};
}

}  // namespace

char32_t take_utf8(std::string_view& text) {
  ensure(!text.empty(), "a character is taken from a text that has one");
  const auto character = read_character(text);
  text.remove_prefix(character.length == 0 ? 1 : character.length);
  return character.length == 0 ? kReplacementCharacter : character.value;
}

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xC0 | character >> 6U);
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12U);
    put(0x80 | (character >> 6U & 0x3FU));
  } else {
    put(0xF0 | character >> 18U);
    put(0x80 | (character >> 12U & 0x3FU));
    put(0x80 | (character >> 6U & 0x3FU));
  }
  put(0x80 | (character & 0x3FU));
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto character = read_character(text);
    if (character.length == 0) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

}  // namespace arkvory
