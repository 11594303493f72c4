// SPDX-License-Identifier: Apache-2.0
#include "core/base/rfc3339.h"

#include "core/base/civil_time.h"
#include "core/base/text_cursor.h"

namespace arkvory {

namespace {

using namespace std::chrono_literals;

Duration take_fraction(TextCursor& cursor) {
  Duration sum{0};
  Duration digit_value = 100ms;
  if (!cursor.take('.')) return sum;
  if (!cursor.peek_digit()) cursor.give_up();
  while (cursor.peek_digit()) {
    sum += cursor.digits(1) * digit_value;
    digit_value /= 10;
  }
  return sum;
}

std::chrono::seconds take_offset(TextCursor& cursor) {
  if (cursor.take('Z') || cursor.take('z')) return 0s;
  const bool west = cursor.take('-');
  if (!west) cursor.expect("+");
  const auto hours = cursor.digits(2);
  cursor.expect(":");
  const auto minutes = cursor.digits(2);
  if (hours > 23 || minutes > 59) cursor.give_up();
  const auto offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return west ? -offset : offset;
}

}  // namespace

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  TextCursor cursor(text);
  CivilTime civil;
  civil.year = cursor.digits(4);
  cursor.expect("-");
  civil.month = cursor.digits(2);
  cursor.expect("-");
  civil.day = cursor.digits(2);
  if (!cursor.take('T') && !cursor.take('t')) cursor.expect(" ");
  civil.hour = cursor.digits(2);
  cursor.expect(":");
  civil.minute = cursor.digits(2);
  cursor.expect(":");
  civil.second = cursor.digits(2);
  auto fraction = take_fraction(cursor);
  const auto offset = take_offset(cursor);
  if (!cursor.finished()) return std::nullopt;

  const auto local = utc_moment(civil);
  if (!local) return std::nullopt;
  const auto moment = *local - offset;
  if (moment < kFirstMoment || moment > kLastMoment) return std::nullopt;
  if (civil.second == 60) fraction = 999'999'999ns;
  return WallTime(moment) + fraction;
}

std::string format_rfc3339(WallTime time) {
  const auto civil = civil_of(time);
  auto fraction = time.time_since_epoch() % 1s;
  if (fraction < 0s) fraction += 1s;
  std::string text;
  text.reserve(sizeof "2026-01-01T00:00:00.000Z");
  append_digits(text, civil.year, 4);
  append_digits(text += '-', civil.month, 2);
  append_digits(text += '-', civil.day, 2);
  append_digits(text += 'T', civil.hour, 2);
  append_digits(text += ':', civil.minute, 2);
  append_digits(text += ':', civil.second, 2);
  append_digits(text += '.', static_cast<int>(fraction / 1ms), 3);
  return text += 'Z';
}

}  // namespace arkvory
