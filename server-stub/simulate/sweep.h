// SPDX-License-Identifier: Apache-2.0
// One setting of a scenario through a range of whole numbers: `sessions=1..64`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server-stub/simulate/simulation.h"

namespace arkvory::server {

struct Sweep {
  std::string setting;  // as in a scenario
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// Fault::usage, with words that say what `--sweep` takes.
Result<Sweep> parse_sweep(std::string_view text);

// Runs the scenario with each value, in order, until `on_report` says false. Fault::usage where the setting does not
// take one of them; nothing was run then.
Result<void> run_sweep(const Scenario& scenario, const Sweep& sweep,
                       const std::function<bool(std::uint64_t value, const SimulationReport&)>& on_report);

}  // namespace arkvory::server
