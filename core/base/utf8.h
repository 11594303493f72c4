// SPDX-License-Identifier: Apache-2.0
// UTF-8 (RFC 3629), a character at a time: no surrogates, nothing longer than needed, nothing above U+10FFFF.
#pragma once

#include <string>
#include <string_view>

namespace arkvory {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// The first character of `text`, which must not be empty, removed from it. A byte that begins no character is removed
// alone and read as U+FFFD.
char32_t take_utf8(std::string_view& text);

void append_utf8(std::string& text, char32_t character);

bool is_utf8(std::string_view text);

}  // namespace arkvory
