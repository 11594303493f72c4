// SPDX-License-Identifier: Apache-2.0
#include "core/wait/time_argument.h"

#include <time.h>

#include <algorithm>
#include <tuple>

#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/base/text_cursor.h"

namespace arkvory {

namespace {

using namespace std::chrono_literals;
using std::chrono::sys_seconds;

// Zones change their offsets at multiples of this, seen from UTC.
constexpr std::chrono::seconds kStep = 15min;
// No zone is further from UTC.
constexpr std::chrono::seconds kFurthest = 16h;

struct ClockTime {
  int hour = 0;
  int minute = 0;
};

std::optional<ClockTime> parse_clock(std::string_view text) {
  TextCursor cursor(text);
  ClockTime clock;
  clock.hour = cursor.digits(2);
  cursor.expect(":");
  clock.minute = cursor.digits(2);
  if (!cursor.finished() || clock.hour > 23 || clock.minute > 59) return std::nullopt;
  return clock;
}

auto as_tuple(const CivilTime& civil) {
  return std::tuple(civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second);
}

// The first moment at which the zone's clock shows `civil` or more: in a doubled hour that is the first pass, and past
// a skipped one the first moment after it.
std::optional<sys_seconds> first_reach(const CivilTime& civil, const LocalClock& zone) {
  const auto as_if_utc = utc_moment(civil);
  if (!as_if_utc) return std::nullopt;
  const auto is_reached = [&](sys_seconds moment) { return as_tuple(zone(WallTime(moment))) >= as_tuple(civil); };
  auto low = std::chrono::floor<std::chrono::hours>(*as_if_utc - kFurthest);
  auto high = sys_seconds(low);
  for (; !is_reached(high); high += kStep)
    if (high > *as_if_utc + kFurthest) return std::nullopt;
  auto not_yet = high - kStep;
  while (high - not_yet > 1s) {
    const auto middle = not_yet + (high - not_yet) / 2;
    (is_reached(middle) ? high : not_yet) = middle;
  }
  return high;
}

std::optional<WallTime> next_showing(ClockTime clock, WallTime from, const LocalClock& zone) {
  // Room for the search on both sides.
  if (from < WallTime(kFirstMoment) + 48h || from > WallTime(kLastMoment) - 96h) return std::nullopt;
  const auto today = zone(from);
  const auto noon = utc_moment({today.year, today.month, today.day, 12, 0, 0});
  if (!noon) return std::nullopt;
  for (int days = 0; days <= 2; ++days) {
    auto day = civil_of(WallTime(*noon) + days * 24h);
    const auto reached = first_reach({day.year, day.month, day.day, clock.hour, clock.minute, 0}, zone);
    if (reached && WallTime(*reached) >= from) return WallTime(*reached);
  }
  return std::nullopt;
}

}  // namespace

LocalClock system_zone() {
  return [](WallTime time) {
    const auto stamp = static_cast<time_t>(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
    tm parts{};
    if (localtime_r(&stamp, &parts) == nullptr) return civil_of(time);
    return CivilTime{parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec};
  };
}

std::optional<WallTime> parse_time_argument(std::string_view text, WallTime now, WallTime from,
                                            const LocalClock& zone) {
  if (text.starts_with('+')) {
    const auto duration = parse_duration(text.substr(1));
    if (!duration || now < WallTime() || now > WallTime(kLastMoment) || *duration > WallTime(kLastMoment) - now)
      return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(now + *duration);
  }
  if (const auto clock = parse_clock(text)) return next_showing(*clock, from, zone);
  const auto moment = parse_rfc3339(text);
  if (!moment) return std::nullopt;
  return std::chrono::floor<std::chrono::milliseconds>(*moment);
}

bool is_time_argument(std::string_view text) {
  if (text.starts_with('+')) return parse_duration(text.substr(1)).has_value();
  return parse_clock(text) || parse_rfc3339(text);
}

std::optional<GivenTime> kept_time(const std::optional<GivenTime>& now, const std::optional<GivenTime>& before) {
  return now && before && now->given == before->given ? before : now;
}

}  // namespace arkvory
