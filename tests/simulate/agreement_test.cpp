// SPDX-License-Identifier: Apache-2.0
// The simulator and a second one written from the rules alone, on hundreds of random scenarios, thousands with --full:
// the same events, in the same order, at the same times. ARKVORY_SEED=N plays one scenario alone.
#include "tests/simulate/agreement.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "server-stub/scheduler/windows.h"
#include "tests/simulate/random_scenario.h"
#include "tests/support/search.h"

using namespace arkvory;
using namespace arkvory::server;

TEST_CASE("Exactly: two programs written from the rules give the same events at the same times") {
  const auto only = test::number_from("ARKVORY_SEED");
  const auto last = only ? *only : test::seeds_of_search(500);
  std::size_t failures = 0;
  for (auto seed = only.value_or(1); seed <= last && failures < 5; ++seed) {
    const auto random = random_scenario(seed);
    if (!difference(random.scenario)) continue;
    ++failures;
    const auto small = smaller(random, [](const Scenario& scenario) { return difference(scenario).has_value(); });
    FAIL_CHECK(fmt::format("ARKVORY_SEED={} test_agreement -tc='Exactly*'\n{}\n{}", seed,
                           difference(small.scenario, 40).value_or(""), to_json(small)));
  }
}

TEST_CASE("O4: after each of thousands of events everyone in line has the place and the bytes ahead of brute force") {
  const auto only = test::number_from("ARKVORY_SEED");
  const auto last = only ? *only : test::seeds_of_search(150);
  std::size_t compared = 0;
  std::size_t failures = 0;
  for (auto seed = only.value_or(1); seed <= last && failures < 5; ++seed) {
    const auto random = random_scenario(seed);
    const auto difference = line_difference(random.scenario, compared);
    if (!difference) continue;
    ++failures;
    FAIL_CHECK(fmt::format("ARKVORY_SEED={} test_agreement -tc='O4*'\n{}\n{}", seed, *difference, to_json(random)));
  }
  if (!only) CHECK(compared >= 20 * last);
}

TEST_CASE("E1: estimates are those of a replay of everything, where nothing else happens than what a replay knows") {
  const auto only = test::number_from("ARKVORY_SEED");
  const auto last = only ? *only : std::max<std::uint64_t>(test::seeds_of_search(12), 4);  // the first have few
  std::size_t compared = 0;
  std::size_t failures = 0;
  for (auto seed = only.value_or(1); seed <= last && failures < 5; ++seed) {
    auto random = random_scenario(seed);
    auto& settings = random.scenario.settings;
    settings.aging = Duration(0);
    settings.preempt = false;
    settings.bandwidth_floor = 0;
    for (auto& of_class : random.windows)
      for (auto& window : of_class) window.outside_share_ppm = 0;
    if (settings.windows)
      settings.windows = std::make_shared<const ClassWindows>(ClassWindows::make(random.windows).value());
    if (settings.strategy == Strategy::shared) settings.strategy = Strategy::ordered;
    for (auto& client : random.scenario.clients) client.rate.reset();
    if (!estimate_difference(random.scenario, compared)) continue;
    ++failures;
    const auto small =
        smaller(random, [&](const Scenario& scenario) { return estimate_difference(scenario, compared).has_value(); });
    FAIL_CHECK(fmt::format("ARKVORY_SEED={} test_agreement -tc='E1*'\n{}\n{}", seed,
                           estimate_difference(small.scenario, compared).value_or(""), to_json(small)));
  }
  if (!only) CHECK(compared >= 5 * last);
}
