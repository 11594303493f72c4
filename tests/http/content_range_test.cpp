// SPDX-License-Identifier: Apache-2.0
#include "core/http/content_range.h"

#include <doctest/doctest.h>

#include <string>

namespace arkvory {

TEST_CASE("a Content-Range tells the range and the total, each where it is known (B4)") {
  const auto whole = ContentRange::parse("bytes 0-499/1234");
  REQUIRE(whole);
  CHECK(whole->range == ByteRange(0, 500));
  CHECK(whole->total == 1234);

  const auto open = ContentRange::parse("bytes 42-1233/*");
  REQUIRE(open);
  CHECK(open->range == ByteRange(42, 1234));
  CHECK_FALSE(open->total);

  const auto unsatisfied = ContentRange::parse("bytes */0");
  REQUIRE(unsatisfied);
  CHECK_FALSE(unsatisfied->range);
  CHECK(unsatisfied->total == 0);
}

TEST_CASE("the largest positions of a Content-Range fit into a file offset") {
  const auto largest = ContentRange::parse("bytes 0-9223372036854775806/9223372036854775807");
  REQUIRE(largest);
  CHECK(largest->range->end() == 9223372036854775807U);
  CHECK_FALSE(ContentRange::parse("bytes 0-9223372036854775807/*"));
  CHECK_FALSE(ContentRange::parse("bytes 0-18446744073709551615/*"));
  CHECK_FALSE(ContentRange::parse("bytes 0-1/9223372036854775808"));
  CHECK_FALSE(ContentRange::parse("bytes */18446744073709551616"));
}

TEST_CASE("a Content-Range that is not well-formed is none") {
  for (const char* text : {"",
                           "bytes",
                           "bytes ",
                           "bytes 0-1",
                           "bytes 0-1/",
                           "bytes /2",
                           "bytes -/2",
                           "bytes 0-/2",
                           "bytes -1/2",
                           "bytes 1-0/2",
                           "bytes 0-2/2",
                           "bytes 2-2/2",
                           "bytes */*",
                           "bytes 0-1/2/3",
                           "bytes 0-1-2/3",
                           "bytes  0-1/2",
                           "bytes 0 - 1/2",
                           "bytes 0-1/ 2",
                           "bytes 0-1/2 ",
                           " bytes 0-1/2",
                           "bytes=0-1/2",
                           "bytes: 0-1/2",
                           "bytes 0x0-0x1/2",
                           "bytes +0-1/2",
                           "bytes 0-1/-2",
                           "items 0-1/2",
                           "bytes 0-1/2, bytes 0-1/2",
                           "bytes 0-1/2,",
                           "bytes\t0-1/2",
                           "bytes 0-1/**"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(ContentRange::parse(text));
  }
}

TEST_CASE("a Content-Range is printed as it is read") {
  for (const char* text : {"bytes 0-499/1234", "bytes 42-1233/*", "bytes */1234", "bytes 0-0/1"}) {
    CAPTURE(std::string(text));
    REQUIRE(ContentRange::parse(text));
    CHECK(ContentRange::parse(text)->to_header() == text);
  }
  CHECK(ContentRange::parse("Bytes 00-01/02")->to_header() == "bytes 0-1/2");
}

}  // namespace arkvory
