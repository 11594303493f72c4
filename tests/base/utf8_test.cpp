// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"

#include <doctest/doctest.h>

namespace arkvory {

TEST_CASE("each character of Unicode is written and read as itself") {
  int wrong = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    auto rest = std::string_view(text);
    if (!is_utf8(text) || take_utf8(rest) != c || !rest.empty()) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("bytes that are no UTF-8 are read one at a time as replacement characters") {
  const std::pair<std::string_view, int> bad[] = {
      {"\x80", 1},                  // a continuation alone
      {"\xC3", 1},                  // cut
      {"\xC0\xAF", 2},              // overlong slash
      {"\xE0\x80\xAF", 3},          // overlong slash
      {"\xF0\x80\x80\xAF", 4},      // overlong slash
      {"\xED\xA0\x80", 3},          // surrogate
      {"\xF4\x90\x80\x80", 4},      // above U+10FFFF
      {"\xF8\x88\x80\x80\x80", 5},  // five bytes
      {"\xFF", 1},
  };
  for (const auto& row : bad) {
    const auto& text = row.first;
    const auto& count = row.second;
    CAPTURE(text.size());
    CHECK_FALSE(is_utf8(text));
    auto rest = text;
    int replaced = 0;
    while (!rest.empty()) replaced += take_utf8(rest) == kReplacementCharacter ? 1 : 0;
    CHECK(replaced == count);
  }
  CHECK(is_utf8(""));
}

}  // namespace arkvory
