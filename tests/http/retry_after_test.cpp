// SPDX-License-Identifier: Apache-2.0
#include "core/http/retry_after.h"

#include <doctest/doctest.h>

#include <string>

#include "core/http/http_date.h"

namespace arkvory {

namespace {

using namespace std::chrono_literals;

const WallTime kNow{std::chrono::seconds(1796041865)};

std::optional<Duration> delay_of(std::initializer_list<const char*> values, const char* date = nullptr,
                                 WallTime now = kNow) {
  Headers headers;
  if (date != nullptr) headers.add("Date", date);
  for (const char* value : values) headers.add("Retry-After", value);
  const auto retry_after = RetryAfter::from(headers, now);
  return retry_after ? std::optional(retry_after->delay()) : std::nullopt;
}

std::string date_at(Duration from_now) { return format_http_date(kNow + from_now); }

}  // namespace

TEST_CASE("a date counts from the answer's own Date, whatever this machine's clock says (A1)") {
  const auto answered = date_at(1h);
  const auto until = date_at(1h + 3s);
  CHECK(delay_of({until.c_str()}, answered.c_str()) == 3s);
  CHECK(delay_of({until.c_str()}, answered.c_str(), kNow - 24h * 365) == 3s);
  CHECK(delay_of({until.c_str()}) == 1h);
  CHECK(delay_of({date_at(90s).c_str()}, "junk") == 90s);
}

TEST_CASE("a date in the past is no wait, not a negative one and not absence (A2)") {
  CHECK(delay_of({date_at(-1h).c_str()}) == 0s);
  CHECK(delay_of({"Thu, 01 Jan 1970 00:00:00 GMT"}) == 0s);
}

TEST_CASE("a zero is a zero and not absence (A3)") {
  CHECK(delay_of({"0"}) == 0s);
  CHECK(delay_of({"000"}) == 0s);
  CHECK_FALSE(delay_of({}));
}

TEST_CASE("junk counts as absent, spaces are trimmed, of two values the larger is meant (A4)") {
  for (const char* junk : {"soon", "1.5", "-5", "", "+5", "5s", "0x5", "5 5", "1e3", "5,", "2, 9",
                           "2026-12-01T00:00:00Z", "\xD9\xA5", "Tue, 1 Dec 2026 00:00:00 GMT"}) {
    CAPTURE(std::string(junk));
    CHECK_FALSE(delay_of({junk}));
    CHECK(delay_of({junk, "4"}) == 4s);
  }
  CHECK(delay_of({"  2 "}) == 2s);
  CHECK(delay_of({"2", "9"}) == 9s);
  CHECK(delay_of({"9", "2"}) == 9s);
  CHECK(delay_of({"2", date_at(20s).c_str()}) == 20s);
}

TEST_CASE("more than an hour is an hour, with any number of digits (A5)") {
  CHECK(delay_of({"3599"}) == 3599s);
  CHECK(delay_of({"3600"}) == 1h);
  CHECK(delay_of({"3601"}) == 1h);
  for (const char* text :
       {"9223372036", "9223372037", "18446744073709551615", "18446744073709551616", "99999999999999999999"}) {
    CAPTURE(std::string(text));
    CHECK(delay_of({text}) == 1h);
  }
  CHECK(delay_of({std::string(1000, '9').c_str()}) == 1h);
  CHECK(delay_of({"Fri, 31 Dec 9999 23:59:59 GMT"}) == 1h);
  CHECK(delay_of({"Fri, 31 Dec 9999 23:59:59 GMT"}, "Thu, 01 Jan 1970 00:00:00 GMT") == 1h);
  CHECK(delay_of({"Fri, 31 Dec 9999 23:59:59 GMT"}, nullptr, WallTime::min() + 1s) == 1h);
  CHECK(delay_of({"Thu, 01 Jan 1970 00:00:00 GMT"}, nullptr, WallTime::max()) == 0s);
}

TEST_CASE("a moment is waited for by the clock of the server that told it, at most an hour") {
  CHECK(RetryAfter::until(kNow + 5s, kNow).delay() == 5s);
  CHECK(RetryAfter::until(kNow + 4001ms, kNow).delay() == 5s);
  CHECK(RetryAfter::until(kNow - 5s, kNow).delay() == 0s);
  CHECK(RetryAfter::until(WallTime::max(), WallTime::min()).delay() == 1h);
  CHECK(RetryAfter::until(WallTime::min(), WallTime::max()).delay() == 0s);
}

TEST_CASE("a wait for a date never ends too early") {
  CHECK(RetryAfter::parse(date_at(3s), kNow + 400ms)->delay() >= 3s - 400ms);
}

}  // namespace arkvory
