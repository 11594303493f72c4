// SPDX-License-Identifier: Apache-2.0
#include "core/http/http_date.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/rng.h"

namespace arkvory {

namespace {

WallTime at(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

constexpr std::int64_t k2026 = 1796041865;  // 2026-11-30T12:31:05Z
constexpr std::int64_t kLast = 9214646399;  // 2261-12-31T23:59:59Z

std::optional<std::int64_t> seconds_of(std::string_view text, std::int64_t now = k2026) {
  const auto parsed = parse_http_date(text, at(now));
  if (!parsed) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*parsed).time_since_epoch().count();
}

}  // namespace

TEST_CASE("the three forms of an HTTP date name the same moment (RFC 9110 section 5.6.7)") {
  CHECK(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT") == 784111777);
  CHECK(seconds_of("Sunday, 06-Nov-94 08:49:37 GMT") == 784111777);
  CHECK(seconds_of("Sun Nov  6 08:49:37 1994") == 784111777);
  CHECK(seconds_of("Sun Nov 16 08:49:37 1994") == 784111777 + 10 * 86400);
}

TEST_CASE("a year of two digits is the one nearest to now") {
  CHECK(seconds_of("Monday, 30-Nov-26 12:31:05 GMT") == k2026);
  CHECK(seconds_of("Friday, 01-Jan-76 00:00:00 GMT") == 3345062400);              // 2076: 50 years ahead
  CHECK(seconds_of("Saturday, 01-Jan-77 00:00:00 GMT") == 220924800);             // 1977
  CHECK(seconds_of("Friday, 01-Jan-01 00:00:00 GMT", 4070908800) == 4133980800);  // in 2099: 2101
}

TEST_CASE("edges of HTTP dates") {
  CHECK(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT") == 0);
  CHECK(seconds_of("Tue, 29 Feb 2000 00:00:00 GMT") == 951782400);
  CHECK(seconds_of("Mon, 06 Nov 1994 08:49:37 GMT") == 784111777);   // the weekday is not checked
  CHECK(seconds_of("Sat, 31 Dec 2016 23:59:60 GMT") == 1483228799);  // leap second
  CHECK(seconds_of("Sat, 31 Dec 2261 23:59:59 GMT") == kLast);
  CHECK(seconds_of("Fri, 31 Dec 9999 23:59:59 GMT") == kLast);
}

TEST_CASE("what is no HTTP date is none") {
  for (const char* text : {"",
                           "0",
                           "-1",
                           "now",
                           "Sun",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 1994 08:49:37 GMT ",
                           " Sun, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun,06 Nov 1994 08:49:37 GMT",
                           "sun, 06 nov 1994 08:49:37 gmt",
                           "Sun, 06 November 1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Sun, 06 Nov 1994 8:49:37 GMT",
                           "Sun, 06 Nov 1994 24:00:00 GMT",
                           "Sun, 06 Nov 1994 08:60:00 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Mon, 29 Feb 2027 00:00:00 GMT",
                           "Sun, 06 Nov 1994 08:49:37 +0000",
                           "Sun, 06 Nov 1994 08:49:37 -0800",
                           "Wed, 31 Dec 1969 23:59:59 GMT",
                           "Sunday, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "Sunday, 06-Nov-1994 08:49:37 GMT",
                           "Sun Nov 06 08:49:37 1994 GMT",
                           "Sun Nov   6 08:49:37 1994",
                           "Sun Nov  6 08:49:37 94",
                           "2026-12-01T00:00:00Z",
                           "20261130 12:00:00",
                           "Sun, 06 Nov 1994 08:49:37 GMTX"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(seconds_of(text));
  }
}

TEST_CASE("a moment is printed as an IMF-fixdate, fractions cut off") {
  CHECK(format_http_date(at(784111777) + std::chrono::milliseconds(999)) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(format_http_date(at(0)) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(format_http_date(at(k2026)) == "Mon, 30 Nov 2026 12:31:05 GMT");
}

TEST_CASE("what is printed is read as the same second") {
  Rng rng(9110);
  for (int i = 0; i < 20'000; ++i) {
    const auto moment = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(kLast) + 1));
    const auto text = format_http_date(at(moment));
    if (seconds_of(text) == moment) continue;
    CAPTURE(std::string(text));
    FAIL("the moment changed");
  }
}

}  // namespace arkvory
