// SPDX-License-Identifier: Apache-2.0
#include "core/wait/wait_policy.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace std::chrono_literals;

namespace {

constexpr Instant kNow{1000s};

Failure failure_of(Fault fault, unsigned in_a_row = 1) { return {.error = {fault, "it failed"}, .in_a_row = in_a_row}; }

Duration wait_of(const Decision& decision) {
  const auto* again = std::get_if<StartAgainAt>(&decision);
  REQUIRE(again != nullptr);
  return again->earliest - kNow;
}

}  // namespace

TEST_CASE("a thousand busy answers leave the budget untouched") {
  RetryBudget budget{.retries_left = 3, .max_attempts = 2};
  Rng chance(1);
  for (unsigned n = 1; n <= 1000; ++n) {
    auto failure = failure_of(Fault::busy, n);
    failure.asked = RetryAfter::parse("2", WallTime());
    const auto wait = wait_of(after_failure(failure, budget, kNow, chance));
    CHECK(wait >= 2s);
    CHECK(wait <= 3200ms);
  }
  CHECK(budget.retries_left == 3);
}

TEST_CASE("a busy answer that asks for 0 s is still met with a floor (A3)") {
  RetryBudget budget;
  Rng chance(1);
  Duration all = 0s;
  for (unsigned n = 1; n <= 5; ++n) {
    auto failure = failure_of(Fault::busy, n);
    failure.asked = RetryAfter::parse("0", WallTime());
    const auto wait = wait_of(after_failure(failure, budget, kNow, chance));
    CHECK(wait >= 1s);
    all += wait;
  }
  CHECK(all >= 5s);
}

TEST_CASE("a busy answer without Retry-After waits by our own floor, at most a minute and its addition") {
  RetryBudget budget;
  Rng chance(1);
  CHECK(wait_of(after_failure(failure_of(Fault::busy, 1), budget, kNow, chance)) >= 1s);
  const auto long_wait = wait_of(after_failure(failure_of(Fault::busy, 1000), budget, kNow, chance));
  CHECK(long_wait >= 60s);
  CHECK(long_wait <= 66s);
}

TEST_CASE("a fault costs one from the budget and the last one ends the download") {
  RetryBudget budget{.retries_left = 2, .max_attempts = 10};
  Rng chance(1);
  CHECK(wait_of(after_failure(failure_of(Fault::network, 1), budget, kNow, chance)) > 0s);
  CHECK(budget.retries_left == 1);
  CHECK(wait_of(after_failure(failure_of(Fault::network, 2), budget, kNow, chance)) > 0s);
  CHECK(budget.retries_left == 0);
  const auto decision = after_failure(failure_of(Fault::network, 3), budget, kNow, chance);
  REQUIRE(std::holds_alternative<GiveUp>(decision));
  CHECK(std::get<GiveUp>(decision).error.fault == Fault::network);
}

TEST_CASE("too many faults in a row at one place end the download although retries are left") {
  RetryBudget budget{.retries_left = 100, .max_attempts = 3};
  Rng chance(1);
  CHECK(std::holds_alternative<StartAgainAt>(after_failure(failure_of(Fault::network, 2), budget, kNow, chance)));
  CHECK(std::holds_alternative<GiveUp>(after_failure(failure_of(Fault::network, 3), budget, kNow, chance)));
}

TEST_CASE("a fault after new bytes, or one that the peer says it never began, costs nothing") {
  RetryBudget budget{.retries_left = 0, .max_attempts = 1};
  Rng chance(1);
  auto after_bytes = failure_of(Fault::network);
  after_bytes.brought_new_bytes = true;
  CHECK(wait_of(after_failure(after_bytes, budget, kNow, chance)) <= 500ms);
  auto never_begun = failure_of(Fault::network);
  never_begun.free = true;
  CHECK(wait_of(after_failure(never_begun, budget, kNow, chance)) <= 500ms);
}

TEST_CASE("weather is waited out at no cost") {
  RetryBudget budget{.retries_left = 0, .max_attempts = 1};
  Rng chance(1);
  for (unsigned n = 1; n < 500; ++n) {
    const auto wait = wait_of(after_failure(failure_of(Fault::weather, n), budget, kNow, chance));
    CHECK(wait >= 1s);
    CHECK(wait <= 10s);
  }
}

TEST_CASE("what asking again can't mend ends at once, with the error as it is") {
  for (const auto fault : {Fault::internal, Fault::usage, Fault::wait_limit, Fault::deadline, Fault::refused,
                           Fault::integrity, Fault::locked, Fault::changed, Fault::local, Fault::untrusted, Fault::auth,
                           Fault::state, Fault::conflict, Fault::interrupted}) {
    RetryBudget budget;
    Rng chance(1);
    const auto decision = after_failure(failure_of(fault), budget, kNow, chance);
    REQUIRE(std::holds_alternative<GiveUp>(decision));
    CHECK(std::get<GiveUp>(decision).error.fault == fault);
    CHECK(std::get<GiveUp>(decision).error.words == "it failed");
    CHECK(budget.retries_left == RetryBudget{}.retries_left);
  }
}

TEST_CASE("a busy answer lowers the connections where it speaks of ranges, or of nothing while a sibling is served") {
  QueueNotice nothing;
  QueueNotice ranges;
  ranges.reason = "too_many_ranges";
  QueueNotice queued;
  queued.position = 7;
  for (const bool served : {false, true}) {
    CHECK(means_fewer_connections(ranges, true, served));
    CHECK(means_fewer_connections(nothing, true, served) == served);
    // The seat is gone, although what was begun still runs.
    CHECK_FALSE(means_fewer_connections(queued, true, served));
  }
  // With nobody beside it there is nothing to lower: it waits.
  CHECK_FALSE(means_fewer_connections(ranges, false, false));
  CHECK_FALSE(means_fewer_connections(nothing, false, false));
}
