// SPDX-License-Identifier: Apache-2.0
// A date and time of day as written, and the moment it means in UTC. What the parsers of timestamps share.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/base/clock.h"

namespace arkvory {

struct CivilTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;  // 60 is a leap second
};

// Moments that every text form here may name: WallTime ends in the course of 2262.
inline constexpr std::chrono::sys_seconds kFirstMoment{};
inline constexpr std::chrono::sys_seconds kLastMoment =
    std::chrono::sys_days(std::chrono::year(2262) / 1 / 1) - std::chrono::seconds(1);

// Nothing where there is no such date or time of day. A leap second counts as the second before it.
std::optional<std::chrono::sys_seconds> utc_moment(const CivilTime& civil);

// The date and time of day of a moment in UTC; fractions are cut off.
CivilTime civil_of(WallTime time);

// Appends a number that is not negative with at least so many digits. The formatters of timestamps write little else,
// and a server writes several with every answer.
void append_digits(std::string& text, int number, int digits);

}  // namespace arkvory
