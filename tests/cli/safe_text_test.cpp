// SPDX-License-Identifier: Apache-2.0
#include "cli/safe_text.h"

#include <doctest/doctest.h>

namespace arkvory::cli {

TEST_CASE("text from outside can't move the cursor, end a line or turn it round (E9)") {
  CHECK(printable_line("a\x1b[2Jb") == "a [2Jb");
  CHECK(printable_line("one\r\ntwo\n") == "one  two");
  CHECK(printable_line("bell\a, delete\x7f.") == "bell , delete .");
  CHECK(printable_line("C1 \u009b31m") == "C1  31m");
  CHECK(printable_line("turn \u202Eround") == "turn  round");
  CHECK(printable_line(std::string_view("nul\0nul", 7)) == "nul nul");
}

TEST_CASE("bytes that are no UTF-8 are replaced, and what is UTF-8 stays") {
  CHECK(printable_line("\xff"
                       "a") == "\uFFFDa");
  CHECK(printable_line("очередь, 312-й") == "очередь, 312-й");
}

TEST_CASE("wide and combining characters take the columns that a terminal gives them") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("файл") == 4);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);
}

TEST_CASE("a long text is cut in its middle and never exceeds the width") {
  CHECK(shortened("image.iso", 9) == "image.iso");
  CHECK(shortened("a-very-long-name.iso", 10) == "a-ver….iso");
  CHECK(shortened("anything", 1) == "…");
  CHECK(shortened("anything", 0).empty());
  for (std::size_t width = 0; width < 14; ++width)
    CHECK(display_width(shortened("日本語のファイル.bin", width)) <= width);
}

}  // namespace arkvory::cli
