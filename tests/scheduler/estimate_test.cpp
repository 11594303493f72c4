// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/estimate.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

StartEstimate starting_in(Duration point) { return {point, point, point}; }

}  // namespace

TEST_CASE("E1: the start lies between all but the largest and all that is ahead") {
  const auto start = estimate_start({1000, 300, 600}, 100);
  CHECK(start.point == 7s);
  CHECK(start.from == 4s);
  CHECK(start.to == 10s);
}

TEST_CASE("E1: amounts that no link will ever carry don't overflow") {
  const auto start = estimate_start({UINT64_MAX, 0, 0}, 1);
  CHECK(start.to > 24h * 365 * 90);
}

TEST_CASE("E3: the next question comes half-way to the start, from 2 s to 5 min, 1 s for the first in line") {
  CHECK(time_to_check(starting_in(100s), false, false, 0) == 50s);
  CHECK(time_to_check(starting_in(3s), false, false, 0) == 2s);
  CHECK(time_to_check(starting_in(1s), true, false, 0) == 1s);
  CHECK(time_to_check(starting_in(3s), true, false, 0) == 1500ms);
  CHECK(time_to_check(starting_in(10h), false, false, 1023) == 5min);
  CHECK(time_to_check(std::nullopt, false, false, 0) == 2s);
}

TEST_CASE("E3: questions are spread by up to a tenth") {
  CHECK(time_to_check(starting_in(100s), false, false, 1023) > 54s);
  CHECK(time_to_check(starting_in(100s), false, false, 1023) < 55s);
  CHECK(time_to_check(starting_in(100s), true, false, 1023) == 50s);
}

TEST_CASE("E3: what waits for a window comes up to 30 s after its opening") {
  CHECK(time_spread(0) == 0s);
  CHECK(time_spread(1023) > 29s);
  CHECK(time_spread(1023) < 30s);
}
