// SPDX-License-Identifier: Apache-2.0
#include "core/wait/wait_bounds.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kNow{1'798'761'600s};  // 2027-01-01T00:00:00Z

const Error kBusy{Fault::busy, "the server answered 503"};

PlannedWait wait_of(Duration length, const QueueNotice& notice) { return {length, kNow, kBusy, notice}; }

}  // namespace

TEST_CASE("a wait within the limit may begin, to the last nanosecond; one beyond may not") {
  const QueueNotice nothing;
  CHECK_FALSE(beyond_limit(wait_of(10s, nothing), std::nullopt, 1000h));
  CHECK_FALSE(beyond_limit(wait_of(10s, nothing), 60s, 50s));
  CHECK(beyond_limit(wait_of(10s + 1ns, nothing), 60s, 50s)->fault == Fault::wait_limit);
  CHECK(beyond_limit(wait_of(1s, nothing), 60s, 100h));
  CHECK(beyond_limit(wait_of(0s, nothing), 60s, 60s));
  CHECK(beyond_limit(wait_of(0s, nothing), 0s, 0s));
  CHECK(beyond_limit(wait_of(Duration::max(), nothing), 60s, 1s));
}

TEST_CASE("what a limit forbids is said with place, start and limit") {
  QueueNotice notice;
  notice.position = 7;
  notice.starts_at = kNow + 47min;
  CHECK(beyond_limit(wait_of(30s, notice), 10s, 8s)->words ==
        "the server answered 503; place 7 in the queue, start at 2027-01-01T00:47:00.000Z (in 47 min); another wait of "
        "30 s would go beyond the wait limit of 10 s, of which 8 s are spent");
}

TEST_CASE("a deadline can't be met where the start or the next question lies behind it") {
  QueueNotice notice;
  CHECK_FALSE(beyond_deadline(wait_of(1h, notice), std::nullopt));
  CHECK_FALSE(beyond_deadline(wait_of(10s, notice), kNow + 10s));
  CHECK(beyond_deadline(wait_of(11s, notice), kNow + 10s)->fault == Fault::deadline);
  CHECK(beyond_deadline(wait_of(1s, notice), kNow - 1h));
  notice.starts_at = kNow + 10s;
  CHECK_FALSE(beyond_deadline(wait_of(5s, notice), kNow + 10s));
  notice.starts_at = kNow + 11s;
  CHECK(beyond_deadline(wait_of(5s, notice), kNow + 10s)->words ==
        "the server answered 503; start at 2027-01-01T00:00:11.000Z (in 11 s); too late for the deadline "
        "2027-01-01T00:00:10.000Z");
}

TEST_CASE("a deadline has passed from its moment on") {
  CHECK_FALSE(deadline_passed(std::nullopt, kNow));
  CHECK_FALSE(deadline_passed(kNow + 1ns, kNow));
  CHECK(deadline_passed(kNow, kNow)->fault == Fault::deadline);
  CHECK(deadline_passed(WallTime::min(), WallTime::max()));
}
