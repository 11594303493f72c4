// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/windows.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/rfc3339.h"
#include "core/base/rng.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

constexpr auto kClass = DownloadClass::bulk;

WallTime at(std::string_view text) { return parse_rfc3339(text).value(); }

Window window(std::string_view days, std::string_view from, std::string_view to, std::string_view zone) {
  return {parse_days(days).value(), parse_time_of_day(from).value(), parse_time_of_day(to).value(), std::string(zone),
          0};
}

ClassWindows of(std::vector<Window> windows) {
  ClassWindows::ByClass by_class;
  by_class[static_cast<std::size_t>(kClass)] = std::move(windows);
  return ClassWindows::make(std::move(by_class)).value();
}

ClassWindows of(std::string_view days, std::string_view from, std::string_view to, std::string_view zone) {
  return of({window(days, from, to, zone)});
}

// The changes from `begin` on, as text; `count` of them.
std::vector<std::string> changes(const ClassWindows& windows, std::string_view begin, std::size_t count) {
  std::vector<std::string> found;
  auto now = at(begin);
  while (found.size() < count) {
    const auto next = windows.next_change(kClass, now);
    if (!next) break;
    now = *next;
    found.push_back((windows.is_open(kClass, now) ? "opens " : "closes ") + format_rfc3339(now).substr(0, 16));
  }
  return found;
}

using Texts = std::vector<std::string>;
using Ymd = std::chrono::year_month_day;

// What the clock on the wall is ahead of UTC, from the two laws as they are written, without a database.
Duration berlin_offset(WallTime now) {
  const auto year = Ymd(std::chrono::floor<std::chrono::days>(now)).year();
  const auto begin = std::chrono::sys_days(year / std::chrono::March / std::chrono::Sunday[std::chrono::last]) + 1h;
  const auto end = std::chrono::sys_days(year / std::chrono::October / std::chrono::Sunday[std::chrono::last]) + 1h;
  return now >= begin && now < end ? 2h : 1h;
}

Duration new_york_offset(WallTime now) {
  const auto year = Ymd(std::chrono::floor<std::chrono::days>(now)).year();
  const auto begin = std::chrono::sys_days(year / std::chrono::March / std::chrono::Sunday[2]) + 7h;
  const auto end = std::chrono::sys_days(year / std::chrono::November / std::chrono::Sunday[1]) + 6h;
  return now >= begin && now < end ? -4h : -5h;
}

struct Zone {
  std::string_view name;
  Duration (*offset)(WallTime);
};

const std::vector<Zone> kZones{{"Europe/Berlin", berlin_offset},
                               {"America/New_York", new_york_offset},
                               {"UTC", [](WallTime) { return Duration(0); }},
                               {"Asia/Kolkata", [](WallTime) { return Duration(5h + 30min); }}};

// Whether a moment lies in a window, by the face of the clock alone.
bool is_inside(const Window& window, const Zone& zone, WallTime now) {
  const auto local = now + zone.offset(now);
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const auto of_day = local - day;
  const auto today = std::chrono::weekday(day).iso_encoding() - 1;
  if (window.from < window.to) return window.days[today] && of_day >= window.from && of_day < window.to;
  return (window.days[today] && of_day >= window.from) || (window.days[(today + 6) % 7] && of_day < window.to);
}

}  // namespace

TEST_CASE("W1: a class without windows is open at any time") {
  const ClassWindows none;
  CHECK_FALSE(none.has_any(kClass));
  CHECK(none.is_open(kClass, at("2027-06-01T12:00:00Z")));
  CHECK_FALSE(none.next_change(kClass, at("2027-06-01T12:00:00Z")));
  const auto night = of("mon-sun", "22:00", "06:00", "UTC");
  CHECK(night.has_any(kClass));
  CHECK_FALSE(night.has_any(DownloadClass::release));
  CHECK(night.is_open(DownloadClass::release, at("2027-06-01T12:00:00Z")));
}

TEST_CASE("W1, Exactly 8: a window has its first nanosecond, and not the one at which it ends") {
  const auto day = of("mon-sun", "09:00", "17:00", "UTC");
  CHECK_FALSE(day.is_open(kClass, at("2027-06-01T09:00:00Z") - 1ns));
  CHECK(day.is_open(kClass, at("2027-06-01T09:00:00Z")));
  CHECK(day.is_open(kClass, at("2027-06-01T17:00:00Z") - 1ns));
  CHECK_FALSE(day.is_open(kClass, at("2027-06-01T17:00:00Z")));
  CHECK(day.next_change(kClass, at("2027-06-01T09:00:00Z") - 1ns) == at("2027-06-01T09:00:00Z"));
  CHECK(day.next_change(kClass, at("2027-06-01T09:00:00Z")) == at("2027-06-01T17:00:00Z"));
}

TEST_CASE("W1, Exactly 8: a window over midnight belongs to the day it starts") {
  // 2027-06-04 is a Friday.
  const auto friday = of("fri", "22:00", "06:00", "UTC");
  CHECK(changes(friday, "2027-06-01T00:00:00Z", 3) ==
        Texts{"opens 2027-06-04T22:00", "closes 2027-06-05T06:00", "opens 2027-06-11T22:00"});
  CHECK_FALSE(friday.is_open(kClass, at("2027-06-04T05:00:00Z")));
}

TEST_CASE("W1: a day's last minute ends at 24:00, and the same hour twice is a whole day") {
  CHECK(changes(of("fri", "22:00", "24:00", "UTC"), "2027-06-01T00:00:00Z", 2) ==
        Texts{"opens 2027-06-04T22:00", "closes 2027-06-05T00:00"});
  CHECK(changes(of("fri", "08:00", "08:00", "UTC"), "2027-06-01T00:00:00Z", 2) ==
        Texts{"opens 2027-06-04T08:00", "closes 2027-06-05T08:00"});
  CHECK(changes(of("fri", "00:00", "00:00", "UTC"), "2027-06-01T00:00:00Z", 2) ==
        Texts{"opens 2027-06-04T00:00", "closes 2027-06-05T00:00"});
}

TEST_CASE("W1: windows that touch or overlap are one") {
  CHECK(changes(of({window("fri", "20:00", "24:00", "UTC"), window("sat", "00:00", "02:00", "UTC"),
                    window("sat", "01:00", "03:00", "UTC")}),
                "2027-06-01T00:00:00Z", 2) == Texts{"opens 2027-06-04T20:00", "closes 2027-06-05T03:00"});
  // Of two zones: 22:00 in Berlin is 20:00 UTC in summer.
  CHECK(changes(of({window("fri", "20:00", "22:00", "Europe/Berlin"), window("fri", "20:00", "21:00", "UTC")}),
                "2027-06-01T00:00:00Z", 2) == Texts{"opens 2027-06-04T18:00", "closes 2027-06-04T21:00"});
}

TEST_CASE("W1: what covers everything never changes, and neither does what never opens") {
  CHECK_FALSE(of("mon-sun", "00:00", "24:00", "Europe/Berlin").next_change(kClass, at("2027-03-27T00:00:00Z")));
  CHECK_FALSE(of("mon-sun", "07:00", "07:00", "Europe/Berlin").next_change(kClass, at("2027-03-27T00:00:00Z")));
  CHECK_FALSE(of({window("mon-sun", "06:00", "22:00", "UTC"), window("mon-sun", "22:00", "06:00", "UTC")})
                  .next_change(kClass, at("2027-03-27T00:00:00Z")));
  const auto never = of({Window{{}, 9h, 17h, "UTC", 0}});
  CHECK_FALSE(never.is_open(kClass, at("2027-06-01T12:00:00Z")));
  CHECK_FALSE(never.next_change(kClass, at("2027-06-01T12:00:00Z")));
}

TEST_CASE("W1: an hour that does not exist is skipped") {
  // 2027-03-28: 02:00 of Berlin is 03:00, at 01:00 UTC.
  CHECK(
      changes(of("mon-sun", "22:00", "06:00", "Europe/Berlin"), "2027-03-27T12:00:00Z", 4) ==
      Texts{"opens 2027-03-27T21:00", "closes 2027-03-28T04:00", "opens 2027-03-28T20:00", "closes 2027-03-29T04:00"});
  CHECK(changes(of("sun", "02:30", "04:00", "Europe/Berlin"), "2027-03-27T12:00:00Z", 2) ==
        Texts{"opens 2027-03-28T01:00", "closes 2027-03-28T02:00"});
  CHECK(changes(of("sun", "01:00", "02:30", "Europe/Berlin"), "2027-03-27T12:00:00Z", 2) ==
        Texts{"opens 2027-03-28T00:00", "closes 2027-03-28T01:00"});
  // Wholly inside of it: that Sunday has none.
  CHECK(changes(of("sun", "02:15", "02:45", "Europe/Berlin"), "2027-03-27T12:00:00Z", 1) ==
        Texts{"opens 2027-04-04T00:15"});
  // 2027-03-14, at 07:00 UTC.
  CHECK(changes(of("sun", "02:30", "04:00", "America/New_York"), "2027-03-13T12:00:00Z", 2) ==
        Texts{"opens 2027-03-14T07:00", "closes 2027-03-14T08:00"});
}

TEST_CASE("W1: an hour that exists twice counts twice") {
  // 2027-10-31: 03:00 of Berlin is 02:00, at 01:00 UTC.
  CHECK(changes(of("mon-sun", "22:00", "06:00", "Europe/Berlin"), "2027-10-30T12:00:00Z", 2) ==
        Texts{"opens 2027-10-30T20:00", "closes 2027-10-31T05:00"});
  CHECK(
      changes(of("sun", "02:15", "02:45", "Europe/Berlin"), "2027-10-30T12:00:00Z", 4) ==
      Texts{"opens 2027-10-31T00:15", "closes 2027-10-31T00:45", "opens 2027-10-31T01:15", "closes 2027-10-31T01:45"});
  CHECK(
      changes(of("sun", "02:30", "04:00", "Europe/Berlin"), "2027-10-30T12:00:00Z", 4) ==
      Texts{"opens 2027-10-31T00:30", "closes 2027-10-31T01:00", "opens 2027-10-31T01:30", "closes 2027-10-31T03:00"});
  CHECK(
      changes(of("sun", "01:00", "02:30", "Europe/Berlin"), "2027-10-30T12:00:00Z", 4) ==
      Texts{"opens 2027-10-30T23:00", "closes 2027-10-31T00:30", "opens 2027-10-31T01:00", "closes 2027-10-31T01:30"});
  // 2027-11-07, at 06:00 UTC.
  CHECK(
      changes(of("sun", "01:15", "01:45", "America/New_York"), "2027-11-06T12:00:00Z", 4) ==
      Texts{"opens 2027-11-07T05:15", "closes 2027-11-07T05:45", "opens 2027-11-07T06:15", "closes 2027-11-07T06:45"});
}

TEST_CASE("W1: zones off the full hour") {
  CHECK(changes(of("mon-sun", "22:00", "06:00", "Asia/Kolkata"), "2027-06-01T12:00:00Z", 2) ==
        Texts{"opens 2027-06-01T16:30", "closes 2027-06-02T00:30"});
  // Lord Howe puts its clocks half an hour: 2027-10-03 at 02:00 local, 15:30 UTC of the day before.
  CHECK(changes(of("sun", "01:30", "02:15", "Australia/Lord_Howe"), "2027-10-01T00:00:00Z", 2) ==
        Texts{"opens 2027-10-02T15:00", "closes 2027-10-02T15:30"});
}

TEST_CASE("W1: is_open flips at next_change and nowhere between, as the face of the clock has it") {
  Rng rng(20270327);
  for (int run = 0; run < 8; ++run) {
    std::vector<Window> windows;
    std::vector<Zone> zones;
    for (auto count = 1 + rng.below(3); count > 0; --count) {
      zones.push_back(kZones[static_cast<std::size_t>(run) % kZones.size()]);
      if (rng.chance(30)) zones.back() = kZones[rng.below(kZones.size())];
      Window made;
      for (auto& day : made.days) day = rng.chance(60);
      // Full five minutes, in the small hours as often as not, where clocks are set.
      made.from = std::chrono::minutes(5 * rng.below(rng.chance(50) ? 24 * 12 : 4 * 12));
      made.to = std::chrono::minutes(5 * rng.below(rng.chance(50) ? 24 * 12 + 1 : 4 * 12));
      made.zone = zones.back().name;
      windows.push_back(made);
    }
    CAPTURE(run);
    const auto known = of(windows);
    const auto begin = at("2027-01-01T00:00:00Z");
    auto is_open = known.is_open(kClass, begin);
    auto next = known.next_change(kClass, begin);
    std::size_t wrong = 0;
    for (auto now = begin; now < begin + std::chrono::hours(366 * 24); now += 5min) {
      if (next == now) {
        is_open = !is_open;
        next = known.next_change(kClass, now);
      }
      bool is_inside_any = false;
      for (std::size_t i = 0; i < windows.size(); ++i)
        is_inside_any = is_inside_any || is_inside(windows[i], zones[i], now);
      if (known.is_open(kClass, now) != is_open || is_inside_any != is_open || (next && *next <= now)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("W1: a zone that the system does not know is named") {
  ClassWindows::ByClass by_class;
  by_class[0] = {window("mon", "09:00", "17:00", "UTC")};
  by_class[0].back().zone = "Europe/Nowhere";
  const auto made = ClassWindows::make(by_class);
  REQUIRE_FALSE(made);
  CHECK(made.error().fault == Fault::usage);
  CHECK(made.error().words.find("Europe/Nowhere") != std::string::npos);
}

TEST_CASE("W1: of several windows the most is let through outside") {
  auto first = window("mon", "09:00", "17:00", "UTC");
  first.outside_share_ppm = 100'000;
  auto second = window("tue", "09:00", "17:00", "UTC");
  second.outside_share_ppm = 250'000;
  CHECK(of({first, second}).outside_share_ppm(kClass) == 250'000);
  CHECK(of({first, second}).outside_share_ppm(DownloadClass::release) == 0);
}

TEST_CASE("W1: days and times of day as they are written") {
  using Days = std::array<bool, 7>;
  CHECK(parse_days("mon-sun") == Days{true, true, true, true, true, true, true});
  CHECK(parse_days("mon,wed,fri") == Days{true, false, true, false, true, false, false});
  CHECK(parse_days("sat-mon") == Days{true, false, false, false, false, true, true});
  CHECK(parse_days("sun") == Days{false, false, false, false, false, false, true});
  for (const auto* text : {"", "Mon", "mon-", "-mon", "mon,", ",mon", "mon-tue-wed", "mon tue", "day"})
    CHECK_FALSE(parse_days(text));
  CHECK(parse_time_of_day("00:00") == 0min);
  CHECK(parse_time_of_day("22:05") == 22h + 5min);
  CHECK(parse_time_of_day("24:00") == 24h);
  for (const auto* text : {"", "1:00", "24:01", "25:00", "12:60", "12.00", "12:0", "012:00", "-1:00", "12:00 "})
    CHECK_FALSE(parse_time_of_day(text));
}
