// SPDX-License-Identifier: Apache-2.0
// Small scenarios drawn from a seed, full of things that meet in one instant, and a smaller one that still shows the
// same.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "server-stub/scheduler/windows.h"
#include "server-stub/simulate/scenario.h"

namespace arkvory::server {

struct RandomScenario {
  Scenario scenario;
  ClassWindows::ByClass windows{};  // those of its settings
};

RandomScenario random_scenario(std::uint64_t seed);

// With fewer clients and settings, as long as `is_bad`.
RandomScenario smaller(RandomScenario from, const std::function<bool(const Scenario&)>& is_bad);

// As `arkvory-stub simulate` takes it.
std::string to_json(const RandomScenario& random);

}  // namespace arkvory::server
