// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_cursor.h"

#include <doctest/doctest.h>

#include <array>

namespace arkvory {

TEST_CASE("a cursor that fits to the end has finished") {
  constexpr std::array<std::string_view, 2> names{"on", "off"};
  TextCursor cursor("12:off;");
  CHECK(cursor.digits(2) == 12);
  cursor.expect(":");
  CHECK(cursor.one_of(names) == 1);
  CHECK_FALSE(cursor.finished());
  CHECK_FALSE(cursor.take(','));
  CHECK(cursor.take(';'));
  CHECK(cursor.finished());
}

TEST_CASE("the first thing that does not fit fails the whole reading") {
  TextCursor cursor("1x");
  CHECK(cursor.digits(2) == 0);
  cursor.expect("");
  CHECK(cursor.rest().empty());
  CHECK_FALSE(cursor.finished());
}

}  // namespace arkvory
