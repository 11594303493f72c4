// SPDX-License-Identifier: Apache-2.0
#include "core/engine/range_plan.h"

#include <doctest/doctest.h>

#include "core/base/rng.h"

using namespace arkvory;
using namespace std::chrono_literals;

namespace {

constexpr Instant kNow{100s};

}  // namespace

TEST_CASE("while the size is unknown exactly one range is asked for: a bounded one from the start (B17)") {
  const RangePlan plan(std::nullopt, 8);
  CHECK(plan.next({}, {}, kNow) == ByteRange(0, 8));
  CHECK_FALSE(plan.next({}, {ByteRange(0, 8)}, kNow));
}

TEST_CASE("ranges are asked for in order, once, and end at the object's end") {
  const RangePlan plan(20, 8);
  IntervalSet on_the_way;
  for (const auto& expected : {ByteRange(0, 8), ByteRange(8, 16), ByteRange(16, 20)}) {
    const auto next = plan.next({}, on_the_way, kNow);
    REQUIRE(next);
    CHECK(*next == expected);
    on_the_way.add(*next);
  }
  CHECK_FALSE(plan.next({}, on_the_way, kNow));
}

TEST_CASE("a gap is filled up to the border of its range, so that blocks come whole") {
  const RangePlan plan(32, 8);
  CHECK(plan.next({ByteRange(0, 3)}, {}, kNow) == ByteRange(3, 8));
  CHECK(plan.next({ByteRange(0, 8), ByteRange(12, 32)}, {}, kNow) == ByteRange(8, 12));
  CHECK(plan.next({ByteRange(0, 8)}, {ByteRange(8, 13), ByteRange(14, 32)}, kNow) == ByteRange(13, 14));
}

TEST_CASE("a range that failed waits for its time while others go on") {
  RangePlan plan(24, 8);
  plan.failed_at(0, kNow + 5s);
  CHECK(plan.next({}, {}, kNow) == ByteRange(8, 16));
  CHECK(plan.next({}, {}, kNow + 5s) == ByteRange(0, 8));
  CHECK(plan.next_due(kNow) == kNow + 5s);
  CHECK_FALSE(plan.next_due(kNow + 5s));
}

TEST_CASE("faults in a row are counted by place, and bytes that come there end the row") {
  RangePlan plan(24, 8);
  plan.failed_at(8, kNow);
  plan.failed_at(8, kNow);
  CHECK(plan.failures_at(8) == 2);
  CHECK(plan.failures_at(0) == 0);
  plan.came_at(8);
  CHECK(plan.failures_at(8) == 0);
}

TEST_CASE("whatever comes in whatever order, each byte is asked for exactly once until all are held") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    Rng chance(seed);
    const std::uint64_t size = 1 + chance.below(200);
    const RangePlan plan(size, 1 + chance.below(20));
    IntervalSet held;
    for (int i = 0; i < 3; ++i)
      if (const auto range = ByteRange::make(chance.below(size), chance.below(size) + 1)) held.add(*range);
    auto missing = size - held.total();
    IntervalSet on_the_way;
    while (const auto next = plan.next(held, on_the_way, kNow)) {
      CHECK(held.within(*next).empty());
      CHECK(on_the_way.within(*next).empty());
      CHECK(next->end() <= size);
      missing -= next->length();
      on_the_way.add(*next);
      if (!chance.chance(50)) continue;
      held.add(*next);
      on_the_way.remove(*next);
    }
    CHECK(missing == 0);
  }
}

TEST_CASE("a range that is to wait is passed over until its time, and that is no failure") {
  RangePlan plan(1000, 100);
  plan.not_before(0, kNow + std::chrono::seconds(5));
  CHECK(plan.next({}, {}, kNow) == ByteRange(100, 200));
  CHECK(plan.next_due(kNow) == kNow + std::chrono::seconds(5));
  CHECK(plan.next({}, {}, kNow + std::chrono::seconds(5)) == ByteRange(0, 100));
  CHECK(plan.failures_at(0) == 0);
}
