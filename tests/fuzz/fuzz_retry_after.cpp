// SPDX-License-Identifier: Apache-2.0
// First line: a Date; each further line: a Retry-After.
#include "core/http/http_date.h"
#include "core/http/retry_after.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::WallTime;

namespace {

const WallTime kMoments[] = {WallTime(), WallTime(std::chrono::seconds(1796041865)), WallTime::max(), WallTime::min()};

void check_date(std::string_view text, WallTime now) {
  const auto date = arkvory::parse_http_date(text, now);
  if (!date) return;
  ensure(*date >= WallTime(), "no date is before 1970");
  ensure(arkvory::parse_http_date(arkvory::format_http_date(*date), now) == date,
         "what is printed is read as the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = arkvory::fuzz::as_text(data, size);
  arkvory::Headers headers;
  const auto date = arkvory::fuzz::take_line(rest);
  headers.add("Date", std::string(date));
  while (!rest.empty()) headers.add("Retry-After", std::string(arkvory::fuzz::take_line(rest)));

  for (const auto now : kMoments) {
    check_date(date, now);
    for (const auto value : headers.all("Retry-After")) check_date(value, now);
    const auto wait = arkvory::RetryAfter::from(headers, now);
    if (!wait) continue;
    ensure(wait->delay() >= arkvory::Duration::zero(), "no wait is negative");
    ensure(wait->delay() <= std::chrono::hours(1), "no wait is longer than an hour");
  }
  return 0;
}
