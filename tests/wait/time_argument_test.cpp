// SPDX-License-Identifier: Apache-2.0
#include "core/wait/time_argument.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <time.h>

#include <string>

#include "core/base/rfc3339.h"

using namespace arkvory;
using namespace std::chrono_literals;

namespace {

// The process is in a zone for as long as this lives.
class InZone {
 public:
  explicit InZone(const char* zone) {
    const char* before = getenv("TZ");
    if (before != nullptr) before_ = before;
    set(zone);
  }
  ~InZone() { set(before_ ? before_->c_str() : nullptr); }
  InZone(const InZone&) = delete;
  InZone& operator=(const InZone&) = delete;

 private:
  static void set(const char* zone) {
    if (zone != nullptr)
      setenv("TZ", zone, 1);
    else
      unsetenv("TZ");
    tzset();
  }
  std::optional<std::string> before_;
};

// By their rules, so that no zone data is needed.
constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";
constexpr const char* kLordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";  // changes by half an hour
constexpr const char* kApia = "<+13>-13<+14>,M9.5.0/3,M4.1.0/4";

std::string meant(std::string_view text, std::string_view now, const LocalClock& zone = system_zone()) {
  const auto moment = *parse_rfc3339(now);
  const auto time = parse_time_argument(text, moment, moment, zone);
  return time ? format_rfc3339(*time) : "none";
}

}  // namespace

TEST_CASE("a timestamp means what it says, to the millisecond") {
  CHECK(meant("2027-03-27T21:30:00Z", "2027-01-01T00:00:00Z") == "2027-03-27T21:30:00.000Z");
  CHECK(meant("2027-03-27T21:30:00.9999+02:00", "2027-01-01T00:00:00Z") == "2027-03-27T19:30:00.999Z");
}

TEST_CASE("+DURATION counts from now") {
  CHECK(meant("+90m", "2027-01-01T00:00:00Z") == "2027-01-01T01:30:00.000Z");
  CHECK(meant("+5", "2027-01-01T00:00:00Z") == "2027-01-01T00:00:05.000Z");
  CHECK(meant("+0s", "2027-01-01T00:00:00Z") == "2027-01-01T00:00:00.000Z");
  CHECK(meant("+100000d", "2027-01-01T00:00:00Z") == "none");
}

TEST_CASE("HH:MM is its next occurrence, now included") {
  const LocalClock utc = civil_of;
  CHECK(meant("22:30", "2027-06-01T20:00:00Z", utc) == "2027-06-01T22:30:00.000Z");
  CHECK(meant("20:00", "2027-06-01T20:00:00Z", utc) == "2027-06-01T20:00:00.000Z");
  CHECK(meant("20:00", "2027-06-01T20:00:01Z", utc) == "2027-06-02T20:00:00.000Z");
  CHECK(meant("00:00", "2027-12-31T23:59:59Z", utc) == "2028-01-01T00:00:00.000Z");
  CHECK(meant("23:59", "2028-02-28T23:59:30Z", utc) == "2028-02-29T23:59:00.000Z");
}

TEST_CASE("what is none of the three forms is none") {
  for (const auto* text : {"", "+", "+-1h", "7:30", "07:3", "24:00", "12:60", "12:30:00", " 12:30", "12:30 ", "noon",
                           "2027-03-27", "2027-02-30T00:00:00Z", "-1h", "1h", "١٢:٣٠"}) {
    CAPTURE(text);
    CHECK_FALSE(is_time_argument(text));
    CHECK(meant(text, "2027-01-01T00:00:00Z") == "none");
  }
  for (const auto* text : {"+1h", "00:00", "23:59", "2027-03-27T21:30:00Z"}) CHECK(is_time_argument(text));
}

TEST_CASE("of a skipped hour the next valid instant is meant (A11)") {
  const InZone zone(kBerlin);
  // On 28 March 2027 the clocks go from 02:00 to 03:00 at 01:00 UTC.
  CHECK(meant("02:15", "2027-03-27T20:00:00Z") == "2027-03-28T01:00:00.000Z");
  CHECK(meant("02:45", "2027-03-27T20:00:00Z") == "2027-03-28T01:00:00.000Z");
  CHECK(meant("03:00", "2027-03-27T20:00:00Z") == "2027-03-28T01:00:00.000Z");
  CHECK(meant("01:59", "2027-03-27T20:00:00Z") == "2027-03-28T00:59:00.000Z");
  CHECK(meant("03:15", "2027-03-27T20:00:00Z") == "2027-03-28T01:15:00.000Z");
  CHECK(meant("02:15", "2027-03-28T01:00:01Z") == "2027-03-29T00:15:00.000Z");
  // The day before and after are as ever.
  CHECK(meant("02:15", "2027-03-26T20:00:00Z") == "2027-03-27T01:15:00.000Z");
}

TEST_CASE("of a doubled hour the first pass is meant, and it is used once (A11)") {
  const InZone zone(kBerlin);
  // On 31 October 2027 the clocks go from 03:00 back to 02:00 at 01:00 UTC.
  CHECK(meant("02:15", "2027-10-30T20:00:00Z") == "2027-10-31T00:15:00.000Z");
  CHECK(meant("02:15", "2027-10-31T00:15:00Z") == "2027-10-31T00:15:00.000Z");
  CHECK(meant("02:15", "2027-10-31T00:30:00Z") == "2027-11-01T01:15:00.000Z");
  CHECK(meant("02:15", "2027-10-31T01:10:00Z") == "2027-11-01T01:15:00.000Z");
  CHECK(meant("03:00", "2027-10-31T00:30:00Z") == "2027-10-31T02:00:00.000Z");
  CHECK(meant("02:00", "2027-10-30T20:00:00Z") == "2027-10-31T00:00:00.000Z");
}

TEST_CASE("a zone that changes by half an hour, and one far in the east, are no exceptions") {
  {
    const InZone zone(kLordHowe);
    // 3 October 2027: 02:00 becomes 02:30 at 15:30 UTC of the day before.
    CHECK(meant("02:15", "2027-10-02T10:00:00Z") == "2027-10-02T15:30:00.000Z");
    // 4 April 2027: 02:00 becomes 01:30 at 15:00 UTC of the day before.
    CHECK(meant("01:45", "2027-04-03T10:00:00Z") == "2027-04-03T14:45:00.000Z");
  }
  const InZone zone(kApia);
  CHECK(meant("12:00", "2027-06-01T00:00:00Z") == "2027-06-01T23:00:00.000Z");
  CHECK(meant("00:00", "2027-01-01T09:59:00Z") == "2027-01-01T10:00:00.000Z");
}

TEST_CASE("whatever the zone and the day, the clock shows what was asked for or comes from below it") {
  for (const auto* name : {kBerlin, kLordHowe, kApia, "UTC0", "<-12>12", "NST3:30NDT,M3.2.0,M11.1.0"}) {
    const InZone in_zone(name);
    const auto zone = system_zone();
    auto now = *parse_rfc3339("2027-01-01T00:07:11Z");
    for (int step = 0; step < 500; ++step, now += 19h + 7min) {
      const int hour = step % 24;
      const int minute = step * 7 % 60;
      const auto text = std::string{static_cast<char>('0' + hour / 10), static_cast<char>('0' + hour % 10), ':',
                                    static_cast<char>('0' + minute / 10), static_cast<char>('0' + minute % 10)};
      const auto time = parse_time_argument(text, now, now, zone);
      CAPTURE(text);
      CAPTURE(format_rfc3339(now));
      REQUIRE(time);
      CHECK(*time >= now);
      CHECK(*time <= now + 48h + 1h);
      const auto shown = zone(*time);
      const auto before = zone(*time - 1s);
      const bool exact = shown.hour == hour && shown.minute == minute && shown.second == 0;
      const bool skipped =
          before.hour * 60 + before.minute < hour * 60 + minute && shown.hour * 60 + shown.minute > hour * 60 + minute;
      CHECK((exact || skipped));
    }
  }
}

TEST_CASE("at the ends of the calendar a moment is none rather than a wrong one") {
  const LocalClock utc = civil_of;
  for (const auto now : {WallTime(), WallTime::min(), WallTime::max(), WallTime(kLastMoment)}) {
    CHECK_FALSE(parse_time_argument("12:00", now, now, utc));
    CHECK_FALSE(parse_time_argument("+200000d", now, now, utc));
  }
}

TEST_CASE("the same text means the moment that it meant before; another one, or none, counts as it is") {
  const GivenTime first{"+1h", WallTime(1h)};
  const GivenTime again{"+1h", WallTime(9h)};
  const GivenTime other{"+2h", WallTime(10h)};
  CHECK(kept_time(again, first) == first);
  CHECK(kept_time(other, first) == other);
  CHECK(kept_time(again, std::nullopt) == again);
  CHECK(kept_time(std::nullopt, first) == std::nullopt);
}
