// SPDX-License-Identifier: Apache-2.0
#include "core/base/rfc3339.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/rng.h"

namespace arkvory {

namespace {

using namespace std::chrono_literals;

WallTime at(std::int64_t seconds, Duration fraction = 0ns) {
  return WallTime(std::chrono::seconds(seconds)) + fraction;
}

}  // namespace

TEST_CASE("a timestamp of RFC 3339 is the moment it names") {
  const std::pair<const char*, WallTime> good[] = {
      {"1970-01-01T00:00:00Z", at(0)},
      {"1985-04-12T23:20:50.52Z", at(482196050, 520ms)},
      {"1996-12-19T16:39:57-08:00", at(851042397)},
      {"2027-03-27T21:30:00+01:00", at(1806179400)},
      {"2027-03-27t20:30:00z", at(1806179400)},
      {"2027-03-27 20:30:00Z", at(1806179400)},
      {"2027-03-27T20:30:00-00:00", at(1806179400)},
      {"2027-03-28T20:29:00+23:59", at(1806179400)},
      {"1990-12-31T23:59:60Z", at(662687999, 999'999'999ns)},
      {"1990-12-31T15:59:60.5-08:00", at(662687999, 999'999'999ns)},
      {"2000-02-29T00:00:00Z", at(951782400)},
      {"2027-03-27T20:30:00.123456789Z", at(1806179400, 123'456'789ns)},
      {"2027-03-27T20:30:00.1234567899999999999999999999999Z", at(1806179400, 123'456'789ns)},
      {"2027-03-27T20:30:00.000000000000001Z", at(1806179400)},
      {"2026-12-01T12:00:00.123456789+00:00", at(1796126400, 123'456'789ns)},
      {"2261-12-31T23:59:59Z", at(9214646399)},
  };
  for (const auto& row : good) {
    const auto& text = row.first;
    const auto& moment = row.second;
    CAPTURE(std::string(text));
    const auto parsed = parse_rfc3339(text);
    REQUIRE(parsed);
    CHECK(parsed->time_since_epoch().count() == moment.time_since_epoch().count());
  }
}

TEST_CASE("what is no timestamp of RFC 3339 is refused") {
  for (const char* text : {
           "",
           "2027",
           "2027-03-27",
           "20:30:00Z",
           "2027-03-27T20:30:00",
           "2027-03-27T20:30Z",
           "2027-03-27T20:30:00.Z",
           "2027-03-27T20:30:00,5Z",
           "2027-03-27T20:30:00+0100",
           "2027-03-27T20:30:00+01",
           "2027-03-27T20:30:00+24:00",
           "2027-03-27T20:30:00+01:60",
           "2027-03-27T24:00:00Z",
           "2027-03-27T20:60:00Z",
           "2027-03-27T20:30:61Z",
           "2027-02-29T20:30:00Z",
           "2100-02-29T00:00:00Z",
           "2027-13-01T00:00:00Z",
           "2027-00-01T00:00:00Z",
           "2027-01-00T00:00:00Z",
           "2027-04-31T00:00:00Z",
           "+2027-03-27T20:30:00Z",
           "-027-03-27T20:30:00Z",
           "12027-03-27T20:30:00Z",
           "2027-3-27T20:30:00Z",
           "2027-03-27T20:30:00ZZ",
           "2027-03-27T20:30:00Z ",
           " 2027-03-27T20:30:00Z",
           "2027-03-27  20:30:00Z",
           "2027-03-27_20:30:00Z",
           "20270327T203000Z",
           "2027-W12-6T20:30:00Z",
           "1969-12-31T23:59:59Z",
           "1937-01-01T12:00:27.87+00:20",
           "1970-01-01T00:30:00+01:00",
           "2262-01-01T00:00:00Z",
           "2261-12-31T23:30:00-01:00",
           "9999-12-31T23:59:59Z",
           "2027-03-27T20:30:00.5",
           "2027-03-27T20:30:00 Z",
           "2027\xE2\x80\x93"
           "03-27T20:30:00Z",
       }) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_rfc3339(text));
  }
  CHECK_FALSE(parse_rfc3339(std::string_view("2027-03-27T20:30:00Z\0", 21)));
}

TEST_CASE("a moment is printed in UTC with milliseconds, cut and not rounded") {
  CHECK(format_rfc3339(at(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(format_rfc3339(at(1806179400, 999'999'999ns)) == "2027-03-27T20:30:00.999Z");
  CHECK(format_rfc3339(at(951782400, 1ms)) == "2000-02-29T00:00:00.001Z");
  CHECK(format_rfc3339(at(-1)) == "1969-12-31T23:59:59.000Z");
  CHECK(format_rfc3339(at(-1, 250ms)) == "1969-12-31T23:59:59.250Z");
  CHECK(format_rfc3339(WallTime::max()) == "2262-04-11T23:47:16.854Z");
  CHECK(format_rfc3339(WallTime::min()) == "1677-09-21T00:12:43.145Z");
}

TEST_CASE("what is printed is read as the same millisecond") {
  Rng rng(3339);
  for (int i = 0; i < 20'000; ++i) {
    const auto moment =
        at(static_cast<std::int64_t>(rng.below(9214646400)), std::chrono::milliseconds(rng.below(1000)));
    const auto text = format_rfc3339(moment);
    if (parse_rfc3339(text) == moment) continue;
    CAPTURE(std::string(text));
    FAIL("the moment changed");
  }
}

}  // namespace arkvory
