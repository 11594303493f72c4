// SPDX-License-Identifier: Apache-2.0
#include "core/http/http_date.h"

#include <algorithm>
#include <array>

#include "core/base/civil_time.h"
#include "core/base/text_cursor.h"

namespace arkvory {

namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

int take_month(TextCursor& cursor) { return static_cast<int>(cursor.one_of(kMonths)) + 1; }

void take_time_of_day(TextCursor& cursor, CivilTime& civil) {
  civil.hour = cursor.digits(2);
  cursor.expect(":");
  civil.minute = cursor.digits(2);
  cursor.expect(":");
  civil.second = cursor.digits(2);
}

// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<CivilTime> parse_imf_fixdate(std::string_view text) {
  TextCursor cursor(text);
  CivilTime civil;
  cursor.one_of(kDays);
  cursor.expect(", ");
  civil.day = cursor.digits(2);
  cursor.expect(" ");
  civil.month = take_month(cursor);
  cursor.expect(" ");
  civil.year = cursor.digits(4);
  cursor.expect(" ");
  take_time_of_day(cursor, civil);
  cursor.expect(" GMT");
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

// Of the years that end in these two digits the one nearest to this year.
int nearest_year(int two_digits, int this_year) {
  const auto year = this_year - this_year % 100 + two_digits;
  if (year - this_year > 50) return year - 100;
  if (this_year - year > 50) return year + 100;
  return year;
}

// `Sunday, 06-Nov-94 08:49:37 GMT`
std::optional<CivilTime> parse_rfc850(std::string_view text, WallTime now) {
  TextCursor cursor(text);
  CivilTime civil;
  cursor.one_of(kLongDays);
  cursor.expect(", ");
  civil.day = cursor.digits(2);
  cursor.expect("-");
  civil.month = take_month(cursor);
  cursor.expect("-");
  civil.year = nearest_year(cursor.digits(2), civil_of(now).year);
  cursor.expect(" ");
  take_time_of_day(cursor, civil);
  cursor.expect(" GMT");
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

// `Sun Nov  6 08:49:37 1994`
std::optional<CivilTime> parse_asctime(std::string_view text) {
  TextCursor cursor(text);
  CivilTime civil;
  cursor.one_of(kDays);
  cursor.expect(" ");
  civil.month = take_month(cursor);
  cursor.expect(" ");
  civil.day = cursor.take(' ') ? cursor.digits(1) : cursor.digits(2);
  cursor.expect(" ");
  take_time_of_day(cursor, civil);
  cursor.expect(" ");
  civil.year = cursor.digits(4);
  return cursor.finished() ? std::optional(civil) : std::nullopt;
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  auto civil = parse_imf_fixdate(text);
  if (!civil) civil = parse_rfc850(text, now);
  if (!civil) civil = parse_asctime(text);
  if (!civil) return std::nullopt;
  const auto moment = utc_moment(*civil);
  if (!moment || *moment < kFirstMoment) return std::nullopt;
  return WallTime(std::min(*moment, kLastMoment));
}

std::string format_http_date(WallTime time) {
  const auto civil = civil_of(time);
  const std::chrono::weekday day(std::chrono::floor<std::chrono::days>(time));
  std::string text;
  text.reserve(sizeof "Sun, 06 Nov 1994 08:49:37 GMT");
  append_digits(text.append(kDays[day.c_encoding()]).append(", "), civil.day, 2);
  append_digits(text.append(" ").append(kMonths[static_cast<std::size_t>(civil.month - 1)]).append(" "), civil.year, 4);
  append_digits(text += ' ', civil.hour, 2);
  append_digits(text += ':', civil.minute, 2);
  append_digits(text += ':', civil.second, 2);
  return text.append(" GMT");
}

}  // namespace arkvory
