// SPDX-License-Identifier: Apache-2.0
#include "cli/safe_text.h"

#include "core/base/utf8.h"

namespace arkvory::cli {

namespace {

// What a terminal or a reader could take for something else than text.
bool is_control(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  if (code == 0x2028 || code == 0x2029 || code == 0xFEFF) return true;
  return code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::size_t width_of(char32_t code) {
  const bool combining =
      (code >= 0x0300 && code <= 0x036F) || (code >= 0x200B && code <= 0x200D) || (code >= 0xFE00 && code <= 0xFE0F);
  if (combining) return 0;
  const bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
                    (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
                    (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
                    (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1FAFF) ||
                    (code >= 0x20000 && code <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string printable_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const auto character = take_utf8(text);
    append_utf8(line, is_control(character) ? U' ' : character);
  }
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_utf8(text));
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::u32string characters;
  while (!text.empty()) characters.push_back(take_utf8(text));
  // The end of a name, with its extension, tells as much as its beginning.
  const auto room = width - 1;
  const auto front_room = (room + 1) / 2;
  std::size_t used = 0;
  std::size_t front = 0;
  while (used + width_of(characters[front]) <= front_room) used += width_of(characters[front++]);
  auto back = characters.size();
  while (used + width_of(characters[back - 1]) <= room) used += width_of(characters[--back]);

  std::string cut;
  for (std::size_t i = 0; i < front; ++i) append_utf8(cut, characters[i]);
  append_utf8(cut, U'…');
  for (auto i = back; i < characters.size(); ++i) append_utf8(cut, characters[i]);
  return cut;
}

}  // namespace arkvory::cli
