// SPDX-License-Identifier: Apache-2.0
#include "core/engine/slow_range.h"

#include <doctest/doctest.h>

using namespace arkvory;

TEST_CASE("a pace is told by its last two periods, and not before it has run so long") {
  RangePace pace;
  pace.came(100);
  CHECK_FALSE(pace.bytes());
  pace.end_period();
  CHECK_FALSE(pace.bytes());
  pace.came(10);
  pace.end_period();
  CHECK(pace.bytes() == 110U);
  pace.end_period();
  CHECK(pace.bytes() == 10U);
  pace.begin_again();
  CHECK_FALSE(pace.bytes());
}

TEST_CASE("far slower is below an eighth, and nothing is slow without siblings") {
  CHECK(is_far_slower(124, 1000.0));
  CHECK_FALSE(is_far_slower(125, 1000.0));
  CHECK_FALSE(is_far_slower(0, std::nullopt));
}

TEST_CASE("a finished range stands for its siblings for 20 s") {
  using namespace std::chrono_literals;
  const FinishedRange finished{Instant(5s), 1000};
  CHECK(finished.still_tells(Instant(25s)));
  CHECK_FALSE(finished.still_tells(Instant(25001ms)));
}
