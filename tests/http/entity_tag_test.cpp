// SPDX-License-Identifier: Apache-2.0
#include "core/http/entity_tag.h"

#include <doctest/doctest.h>

#include <string>

namespace arkvory {

TEST_CASE("a strong entity tag is kept as sent") {
  for (const char* text : {"\"\"", "\"xyzzy\"", "\"a,b;c=d\"", "\"W/x\"", "\"\\\"", "\"\xC3\xA9\""}) {
    CAPTURE(std::string(text));
    REQUIRE(StrongTag::parse(text));
    CHECK(StrongTag::parse(text)->text() == text);
  }
  CHECK(StrongTag::parse("\"a\"") == StrongTag::parse("\"a\""));
  CHECK(StrongTag::parse("\"a\"") != StrongTag::parse("\"A\""));
}

TEST_CASE("weak and malformed entity tags make no strong one (B14)") {
  for (const char* text : {"", "\"", "xyzzy", "W/\"xyzzy\"", "w/\"xyzzy\"", "\"a\"b\"", "\"a", "a\"", "'a'", "\"a b\"",
                           "\"a\tb\"", "\"a\x7F\"", "\"a\", \"b\"", " \"a\"", "\"a\" ", "*"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(StrongTag::parse(text));
  }
  CHECK_FALSE(StrongTag::parse(std::string_view("\"a\0b\"", 5)));
  CHECK_FALSE(StrongTag::parse("\"a\r\nX: y\""));
}

}  // namespace arkvory
