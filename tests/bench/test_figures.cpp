// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/base/size.h"
#include "tests/bench/figures.h"

namespace arkvory::bench {

namespace {

Pair pair_of(double verified, double curl_then_hash, std::uint64_t peak) {
  return {{verified, 1, peak}, {curl_then_hash, 1, kMiB}, {1, 1, kMiB}};
}

TEST_CASE("a median is the middle value, whatever the order") {
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 100}) == 3);
}

TEST_CASE("a promise is held up to its limit and far off above twice of it") {
  const auto held = promises({pair_of(65, 100, 24 * kMiB)});
  CHECK(held[0].is_held());
  CHECK(held[1].is_held());
  const auto missed = promises({pair_of(66, 100, 25 * kMiB)});
  CHECK_FALSE(missed[0].is_held());
  CHECK_FALSE(missed[0].is_far_off());
  CHECK_FALSE(missed[1].is_held());
  CHECK_FALSE(missed[1].is_far_off());
  const auto far_off = promises({pair_of(131, 100, 49 * kMiB)});
  CHECK(far_off[0].is_far_off());
  CHECK(far_off[1].is_far_off());
}

TEST_CASE("one bad pair of three does not break a promise") {
  CHECK(promises({pair_of(50, 100, kMiB), pair_of(900, 100, 900 * kMiB), pair_of(60, 100, kMiB)})[0].measured == 0.6);
}

TEST_CASE("the table tells every pair, the medians and the verdicts") {
  const auto text = table({pair_of(50, 100, 10 * kMiB), pair_of(90, 100, 60 * kMiB)});
  CHECK(text.find("     2      90.000     100.000       0.900") != std::string::npos);
  CHECK(text.find("median      70.000     100.000       0.700") != std::string::npos);
  CHECK(text.find("at most 0.65: missed") != std::string::npos);
  CHECK(text.find("35.00 MiB, at most 24.00 MiB: missed") != std::string::npos);
}

}  // namespace

}  // namespace arkvory::bench
