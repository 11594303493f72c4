// SPDX-License-Identifier: Apache-2.0
#include "core/base/interval_set.h"

#include <doctest/doctest.h>

#include <bitset>
#include <limits>

#include "core/base/rng.h"

namespace arkvory {

namespace {

constexpr std::uint64_t kBytes = 96;

// What an IntervalSet means, a bit for each byte.
using Model = std::bitset<kBytes>;

ByteRange some_range(Rng& rng) {
  const auto begin = rng.below(kBytes);
  return {begin, begin + 1 + rng.below(kBytes - begin)};
}

void set_range(Model& model, const ByteRange& range, bool value) {
  for (auto at = range.begin(); at < range.end(); ++at) model.set(at, value);
}

Model model_of(const IntervalSet& set) {
  Model model;
  for (const auto& range : set.ranges()) set_range(model, range, true);
  return model;
}

bool is_well_formed(const IntervalSet& set) {
  for (std::size_t i = 1; i < set.ranges().size(); ++i)
    if (set.ranges()[i - 1].end() >= set.ranges()[i].begin()) return false;
  return true;
}

Model only(const ByteRange& range) {
  Model mask;
  set_range(mask, range, true);
  return mask;
}

std::uint64_t model_prefix(const Model& model) {
  std::uint64_t at = 0;
  while (at < kBytes && model.test(at)) ++at;
  return at;
}

std::optional<ByteRange> model_gap(const Model& model, std::uint64_t from, std::uint64_t limit) {
  while (from < limit && model.test(from)) ++from;
  auto end = from;
  while (end < limit && !model.test(end)) ++end;
  return ByteRange::make(from, end);
}

// One seed's run, kept apart so that a failure names the seed and the step.
void run_against_model(std::uint64_t seed) {
  Rng rng(seed);
  IntervalSet set;
  Model model;
  for (int step = 0; step < 60; ++step) {
    const auto range = some_range(rng);
    const bool adds = rng.chance(55);
    adds ? set.add(range) : set.remove(range);
    set_range(model, range, adds);

    const auto probe = some_range(rng);
    const auto mask = only(probe);
    const auto within = set.within(probe);
    const bool right = is_well_formed(set) && model_of(set) == model && set.total() == model.count() &&
                       set.empty() == model.none() && set.contains(probe) == ((model & mask) == mask) &&
                       is_well_formed(within) && model_of(within) == (model & mask) &&
                       set.prefix_end() == model_prefix(model) &&
                       set.contains_all_to(probe.end()) == (model_prefix(model) >= probe.end()) &&
                       set.first_gap(probe.begin(), probe.end()) == model_gap(model, probe.begin(), probe.end());
    if (right) continue;
    CAPTURE(seed);
    CAPTURE(step);
    FAIL("the set and the model differ");
  }
}

}  // namespace

TEST_CASE("an interval set does what a set of single bytes does, over 3000 seeds") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) run_against_model(seed);
}

TEST_CASE("neighbours in an interval set are merged") {
  IntervalSet set{{10, 20}, {30, 40}};
  CHECK(set.count() == 2);
  set.add({20, 30});
  CHECK(set == IntervalSet{{10, 40}});
  CHECK(set.count() == 1);
}

TEST_CASE("taking out the middle splits a range in two") {
  IntervalSet set{{0, 100}};
  set.remove({40, 60});
  CHECK(set == IntervalSet{{0, 40}, {60, 100}});
  CHECK(set.first_gap(0, 100) == ByteRange(40, 60));
  CHECK(set.prefix_end() == 40);
}

TEST_CASE("an interval set reaches the largest offset") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  IntervalSet set{{most - 10, most}};
  set.add({0, 5});
  CHECK(set.total() == 15);
  CHECK(set.first_gap(0, most) == ByteRange(5, most - 10));
  CHECK_FALSE(set.first_gap(most - 10, most));
}

TEST_CASE("a gap at or beyond the limit is none") {
  const IntervalSet set{{0, 10}};
  CHECK_FALSE(set.first_gap(0, 10));
  CHECK_FALSE(set.first_gap(0, 5));
  CHECK_FALSE(set.first_gap(20, 20));
  CHECK(set.first_gap(0, 11) == ByteRange(10, 11));
  CHECK(IntervalSet{}.first_gap(0, 1) == ByteRange(0, 1));
}

}  // namespace arkvory
