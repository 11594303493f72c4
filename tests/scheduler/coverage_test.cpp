// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/coverage.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace arkvory::server;

TEST_CASE("S6: a download begins at the lowest offset asked for, tail reads aside") {
  Coverage coverage;
  coverage.asked(ByteRange(900, 1000), true);
  CHECK(coverage.has_only_tail());
  coverage.asked(ByteRange(400, 500), false);
  coverage.asked(ByteRange(300, 400), false);
  coverage.asked(ByteRange(600, 700), false);
  CHECK(coverage.start() == 300);
}

TEST_CASE("S7: it is complete with everything from its start to the last byte, in any order") {
  Coverage coverage;
  coverage.asked(ByteRange(300, 500), false);
  coverage.sent(ByteRange(500, 1000));
  CHECK_FALSE(coverage.is_complete(1000));
  CHECK(coverage.missing(1000) == 200);
  coverage.sent(ByteRange(300, 500));
  CHECK(coverage.is_complete(1000));
  CHECK(coverage.missing(1000) == 0);
}

TEST_CASE("S7: reading the end first completes nothing") {
  Coverage coverage;
  coverage.asked(ByteRange(900, 1000), true);
  coverage.sent(ByteRange(900, 1000));
  CHECK_FALSE(coverage.is_complete(1000));
  CHECK(coverage.missing(1000) == 900);
}

TEST_CASE("S5: of more than 64 intervals the shortest is forgotten") {
  Coverage coverage;
  coverage.asked(ByteRange(0, 10), false);
  for (std::uint64_t i = 0; i < Coverage::kMostIntervals; ++i) coverage.sent(ByteRange(i * 100, i * 100 + 20));
  CHECK(coverage.missing(10'000) == 10'000 - 64 * 20);
  coverage.sent(ByteRange(9000, 9010));
  CHECK(coverage.missing(10'000) == 10'000 - 64 * 20);
  coverage.sent(ByteRange(9000, 9050));
  CHECK(coverage.missing(10'000) == 10'000 - 63 * 20 - 50);
}
