// SPDX-License-Identifier: Apache-2.0
#include "core/base/rng.h"

#include <doctest/doctest.h>

#include <array>
#include <limits>

namespace arkvory {

using namespace std::chrono_literals;

TEST_CASE("SplitMix64 gives the published values for its seeds") {
  Rng zero(0);
  CHECK(zero.next() == 0xE220A8397B1DCDAFU);
  CHECK(zero.next() == 0x6E789E6AA1B965F4U);
  CHECK(zero.next() == 0x06C45D188009454FU);
  Rng other(1234567);
  CHECK(other.next() == 6457827717110365317U);
  CHECK(other.next() == 3203168211198807973U);
}

TEST_CASE("the same seed gives the same run") {
  Rng one(42);
  Rng two(42);
  Rng three(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto value = one.next();
    CHECK(value == two.next());
    differs = differs || value != three.next();
  }
  CHECK(differs);
}

TEST_CASE("numbers below a bound are spread evenly and never reach it") {
  Rng rng(5);
  std::array<int, 10> seen{};
  for (int i = 0; i < 100'000; ++i) ++seen.at(rng.below(10));
  for (const int count : seen) {
    CHECK(count > 9'500);
    CHECK(count < 10'500);
  }
  CHECK(rng.below(1) == 0);
  CHECK(rng.below(std::numeric_limits<std::uint64_t>::max()) < std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("a random duration may be zero and may be the most") {
  Rng rng(6);
  CHECK(rng.up_to(0ns) == 0ns);
  bool least = false;
  bool most = false;
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = rng.up_to(3ns);
    CHECK(drawn >= 0ns);
    CHECK(drawn <= 3ns);
    least = least || drawn == 0ns;
    most = most || drawn == 3ns;
  }
  CHECK(least);
  CHECK(most);
}

TEST_CASE("a chance of 0 never comes and one of 100 always does") {
  Rng rng(7);
  int halves = 0;
  for (int i = 0; i < 10'000; ++i) {
    CHECK_FALSE(rng.chance(0));
    CHECK(rng.chance(100));
    halves += rng.chance(50) ? 1 : 0;
  }
  CHECK(halves > 4'700);
  CHECK(halves < 5'300);
}

}  // namespace arkvory
