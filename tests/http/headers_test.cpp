// SPDX-License-Identifier: Apache-2.0
#include "core/http/headers.h"

#include <doctest/doctest.h>

namespace arkvory {

TEST_CASE("header names are compared without case and values come trimmed, in order") {
  Headers headers;
  headers.add("Retry-After", "  2 ");
  headers.add("ETag", "\"a\"");
  headers.add("RETRY-AFTER", "\t9");
  headers.add("Empty", "");
  CHECK(headers.first("retry-after") == "2");
  CHECK(headers.all("Retry-After") == std::vector<std::string_view>{"2", "9"});
  CHECK(headers.has("etag"));
  CHECK_FALSE(headers.has("ETa"));
  CHECK_FALSE(headers.first("Date"));
  CHECK(headers.first("empty") == "");
  CHECK(headers.all("Date").empty());
  headers.clear();
  CHECK(headers.fields().empty());
}

TEST_CASE("only ASCII letters have two cases") {
  CHECK(equal_ignoring_case("Content-Range", "cONTENT-rANGE"));
  CHECK_FALSE(equal_ignoring_case("a", "ab"));
  CHECK_FALSE(equal_ignoring_case("[", "{"));
  CHECK_FALSE(equal_ignoring_case("\xC3\x84", "\xC3\xA4"));
}

TEST_CASE("a field that is set takes the place of all that have its name") {
  Headers headers;
  headers.add("A", "1");
  headers.add("B", "2");
  headers.add("a", "3");
  headers.set("A", "4");
  CHECK(headers.all("a") == std::vector<std::string_view>{"4"});
  CHECK(headers.first("B") == "2");
}

}  // namespace arkvory
