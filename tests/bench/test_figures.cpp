// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/base/size.h"
#include "tests/bench/figures.h"

namespace arkvory::bench {

namespace {

Round round_of(double ours, double theirs, std::uint64_t peak = kMiB) { return {{ours, 1, peak}, {theirs, 1, kMiB}}; }

Row wall_of(const std::vector<Round>& rounds, double limit) {
  return compared("a file", "curl", rounds, 0, 1, kWall, limit);
}

TEST_CASE("a median is the middle value, whatever the order") {
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 100}) == 3);
}

TEST_CASE("a ratio is held up to its limit and far off above five times of it") {
  CHECK(wall_of({round_of(65, 100)}, 0.65).is_held());
  const auto missed = wall_of({round_of(66, 100)}, 0.65);
  CHECK_FALSE(missed.is_held());
  CHECK_FALSE(missed.is_far_off());
  CHECK_FALSE(wall_of({round_of(325, 100)}, 0.65).is_far_off());
  CHECK(wall_of({round_of(326, 100)}, 0.65).is_far_off());
}

TEST_CASE("without a peer the limit is one of our own figure") {
  CHECK(alone("a file", {round_of(1, 1, 24 * kMiB)}, 0, kPeak, 24).is_held());
  CHECK_FALSE(alone("a file", {round_of(1, 1, 25 * kMiB)}, 0, kPeak, 24).is_held());
  CHECK(alone("a file", {round_of(1, 1, 121 * kMiB)}, 0, kPeak, 24).is_far_off());
}

TEST_CASE("what has no limit or was not measured is never far off") {
  CHECK_FALSE(wall_of({round_of(9000, 1)}, 0).is_far_off());
  auto row = skipped("a file", "there is no curl");
  row.limit = 0.001;
  row.ours = 9000;
  CHECK_FALSE(row.is_far_off());
}

TEST_CASE("one bad round of three does not break a promise") {
  CHECK(wall_of({round_of(50, 100), round_of(900, 100), round_of(60, 100)}, 1).ratio == 0.6);
}

TEST_CASE("a ratio is the median of the rounds' ratios, for the machine's moods change between rounds") {
  const auto row = wall_of({round_of(1, 2), round_of(10, 20), round_of(100, 50)}, 1);
  CHECK(row.ratio == 0.5);
  CHECK(row.ours == 10);
  CHECK(row.theirs == 20);
}

TEST_CASE("the largest peak is that of the commands asked for, over all rounds") {
  const std::vector<Round> rounds = {{{1, 1, 5}, {1, 1, 90}, {1, 1, 7}}, {{1, 1, 8}, {1, 1, 90}, {1, 1, 6}}};
  CHECK(largest_peak(rounds, {0, 2}) == 8);
}

TEST_CASE("the table has a line for each row, with its verdict") {
  auto with_limit = wall_of({round_of(50, 100)}, 0.65);
  const auto without = wall_of({round_of(1, 4)}, 0);
  CHECK(table({with_limit, without, skipped("another", "no room")}) ==
        "work                  ours   peer  ratio  at most  verdict\n"
        "a file, against curl  50 s  100 s   0.50     0.65  held\n"
        "a file, against curl   1 s    4 s   0.25        -  -\n"
        "another                  -      -      -        -  skipped: no room\n");
  with_limit.ratio = 0.7;
  CHECK(table({with_limit}).find("missed") != std::string::npos);
  with_limit.ratio = 7;
  CHECK(table({with_limit}).find("FAR OFF") != std::string::npos);
}

TEST_CASE("a program that measured ends with 1 where a figure is far off, and with 77 where nothing was measured") {
  auto far_off = wall_of({round_of(50, 100)}, 0.65);
  const auto held = far_off;
  far_off.ratio = 7;
  const auto none = skipped("another", "no room");
  CHECK(exit_status({held, none}, true) == 0);
  CHECK(exit_status({held, far_off}, true) == 1);
  CHECK(exit_status({held, far_off}, false) == 0);
  CHECK(exit_status({none, none}, true) == 77);
}

TEST_CASE("the rounds tell every run") {
  CHECK(rounds_in_words({"ours", "curl"}, {round_of(1.5, 2, 3 * kMiB)}) ==
        "  1: ours 1.500 s, cpu 1.000 s, 3.0 MiB; curl 2.000 s, cpu 1.000 s, 1.0 MiB\n");
}

}  // namespace

}  // namespace arkvory::bench
