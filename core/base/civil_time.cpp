// SPDX-License-Identifier: Apache-2.0
#include "core/base/civil_time.h"

#include <algorithm>

namespace arkvory {

namespace {

bool within(int value, int low, int high) { return value >= low && value <= high; }

}  // namespace

std::optional<std::chrono::sys_seconds> utc_moment(const CivilTime& civil) {
  using namespace std::chrono;
  if (!within(civil.year, 0, 9999) || !within(civil.month, 1, 12) || !within(civil.day, 1, 31)) return std::nullopt;
  if (!within(civil.hour, 0, 23) || !within(civil.minute, 0, 59) || !within(civil.second, 0, 60)) return std::nullopt;
  const year_month_day date(year(civil.year), month(static_cast<unsigned>(civil.month)),
                            day(static_cast<unsigned>(civil.day)));
  if (!date.ok()) return std::nullopt;
  return sys_days(date) + hours(civil.hour) + minutes(civil.minute) + seconds(std::min(civil.second, 59));
}

CivilTime civil_of(WallTime time) {
  using namespace std::chrono;
  // In seconds from here on: midnight before the first moment of WallTime is none of its own.
  const auto moment = floor<seconds>(time);
  const auto midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss clock(moment - midnight);
  return CivilTime{static_cast<int>(date.year()),
                   static_cast<int>(static_cast<unsigned>(date.month())),
                   static_cast<int>(static_cast<unsigned>(date.day())),
                   static_cast<int>(clock.hours().count()),
                   static_cast<int>(clock.minutes().count()),
                   static_cast<int>(clock.seconds().count())};
}

void append_digits(std::string& text, int number, int digits) {
  if (number >= 10 || digits > 1) append_digits(text, number / 10, digits - 1);
  text.push_back(static_cast<char>('0' + number % 10));
}

}  // namespace arkvory
