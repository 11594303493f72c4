// SPDX-License-Identifier: Apache-2.0
#include "core/engine/rate_meter.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace std::chrono_literals;

TEST_CASE("the rate is that of the last few seconds") {
  RateMeter meter;
  for (int i = 0; i <= 10; ++i) meter.note(Instant(i * 1s), static_cast<std::uint64_t>(i) * 100);
  CHECK(meter.rate() == 100);
  for (int i = 11; i <= 20; ++i) meter.note(Instant(i * 1s), 1000 + static_cast<std::uint64_t>(i - 10) * 500);
  CHECK(meter.rate() == 500);
}

TEST_CASE("a wait in a queue is no part of the rate") {
  RateMeter meter;
  meter.note(Instant(0s), 0);
  meter.note(Instant(60s), 100);
  CHECK(meter.rate() == 0);
  meter.note(Instant(61s), 1100);
  CHECK(meter.rate() == 1000);
}
