// SPDX-License-Identifier: Apache-2.0
#include "core/wait/backoff.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace arkvory;
using namespace std::chrono_literals;

TEST_CASE("the n-th fault in a row waits at most 0.5 s doubled n-1 times, never above 8 s, never below 0.1 s") {
  const Duration most[] = {500ms, 1s, 2s, 4s, 8s, 8s, 8s};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng chance(seed);
    for (unsigned n = 1; n <= std::size(most); ++n) {
      const auto wait = backoff_after_fault(n, chance);
      CHECK(wait >= 100ms);
      CHECK(wait <= most[n - 1]);
    }
  }
}

TEST_CASE("backing off uses the whole span, so that clients that failed together don't come back together") {
  Duration shortest = 1h;
  Duration longest = 0s;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng chance(seed);
    const auto wait = backoff_after_fault(9, chance);
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
  }
  CHECK(shortest < 200ms);
  CHECK(longest > 7900ms);
}

TEST_CASE("a very long row of faults does not overflow") {
  Rng chance(1);
  CHECK(backoff_after_fault(4'000'000'000U, chance) <= 8s);
  CHECK(busy_floor(4'000'000'000U, 60s) == 60s);
}

TEST_CASE("the busy floor begins at 1 s and grows by a quarter to its ceiling") {
  CHECK(busy_floor(1, 60s) == 1s);
  CHECK(busy_floor(2, 60s) == 1250ms);
  CHECK(busy_floor(3, 60s) == 1562500us);
  CHECK(busy_floor(3, 1500ms) == 1500ms);
  CHECK(busy_floor(100, 60s) == 60s);
}

TEST_CASE("what is added to a wait is between 0 and the larger of 1.2 s and a tenth, at most 30 s") {
  Duration longest_short = 0s;
  Duration longest_long = 0s;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng chance(seed);
    const auto on_five_seconds = busy_addition(5s, chance);
    const auto on_an_hour = busy_addition(1h, chance);
    CHECK(on_five_seconds >= 0s);
    CHECK(on_five_seconds <= 1200ms);
    CHECK(on_an_hour >= 0s);
    CHECK(on_an_hour <= 30s);
    longest_short = std::max(longest_short, on_five_seconds);
    longest_long = std::max(longest_long, on_an_hour);
  }
  CHECK(longest_short > 1s);  // A17: 50 clients told the same time spread over at least a second
  CHECK(longest_long > 29s);
}
