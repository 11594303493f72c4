// SPDX-License-Identifier: Apache-2.0
// The simulator and a second one written from the rules alone, on thousands of random scenarios: the same events, in
// the same order, at the same times. ARKVORY_SEED=N plays one scenario, ARKVORY_WORLDS=N the first N.
#include "tests/simulate/agreement.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "core/base/size.h"
#include "tests/simulate/random_scenario.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

std::optional<std::uint64_t> number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : parse_number(text);
}

}  // namespace

TEST_CASE("Exactly: two programs written from the rules give the same events at the same times") {
  const auto only = number_from("ARKVORY_SEED");
#ifdef __SANITIZE_ADDRESS__
  constexpr std::uint64_t kScenarios = 150;
#else
  constexpr std::uint64_t kScenarios = 1500;
#endif
  const auto last = only ? *only : number_from("ARKVORY_WORLDS").value_or(kScenarios);
  std::size_t failures = 0;
  for (auto seed = only.value_or(1); seed <= last && failures < 5; ++seed) {
    const auto random = random_scenario(seed);
    if (!difference(random.scenario)) continue;
    ++failures;
    const auto small = smaller(random, [](const Scenario& scenario) { return difference(scenario).has_value(); });
    FAIL_CHECK(fmt::format("ARKVORY_SEED={} agreement -tc='Exactly*'\n{}\n{}", seed,
                           difference(small.scenario, 40).value_or(""), to_json(small)));
  }
}
