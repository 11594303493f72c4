// SPDX-License-Identifier: Apache-2.0
#include "core/http/retry_after.h"

#include <algorithm>

#include "core/base/size.h"
#include "core/http/http_date.h"

namespace arkvory {

namespace {

using std::chrono::seconds;

// A proxy's mistake must not put a download to sleep for days: after an hour it asks again (client.md, Waiting).
constexpr seconds kLongest{3600};

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

WallTime time_of_answer(const Headers& headers, WallTime now) {
  const auto stated = headers.first("Date");
  return stated ? parse_http_date(*stated, now).value_or(now) : now;
}

std::optional<RetryAfter> RetryAfter::parse(std::string_view text, WallTime now) {
  text = trimmed(text);
  if (all_digits(text)) {
    const auto longest = static_cast<std::uint64_t>(kLongest.count());
    const auto count = std::min(parse_number(text).value_or(longest), longest);
    return RetryAfter(seconds(static_cast<seconds::rep>(count)));
  }
  const auto date = parse_http_date(text, now);
  if (!date) return std::nullopt;
  return until(*date, now);
}

RetryAfter RetryAfter::until(WallTime moment, WallTime answered) {
  // In whole seconds, which can't overflow, and never a moment too early.
  const auto ahead = std::chrono::ceil<seconds>(moment) - std::chrono::floor<seconds>(answered);
  return RetryAfter(std::clamp(ahead, seconds(0), kLongest));
}

std::optional<RetryAfter> RetryAfter::from(const Headers& headers, WallTime now) {
  const auto answered = time_of_answer(headers, now);
  std::optional<RetryAfter> longest;
  for (const auto value : headers.all("Retry-After")) {
    const auto one = parse(value, answered);
    if (one && (!longest || one->delay() > longest->delay())) longest = one;
  }
  return longest;
}

}  // namespace arkvory
