// SPDX-License-Identifier: Apache-2.0
// Text from outside — a server's message, a file's name — made fit for a terminal and a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace arkvory::cli {

// One printable line of valid UTF-8: control characters (C0, DEL, C1, and the line and direction marks that could turn
// a line round) become spaces, invalid bytes become U+FFFD. Spaces at the ends are cut.
std::string printable_line(std::string_view text);

// Columns that valid UTF-8 takes on a terminal: 2 for wide East Asian characters, 0 for combining marks, else 1.
std::size_t display_width(std::string_view text);

// `text` cut in its middle to at most `width` columns, with `…` for what is left out.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace arkvory::cli
