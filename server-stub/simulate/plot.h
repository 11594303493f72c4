// SPDX-License-Identifier: Apache-2.0
// A picture of who is done when: completions over time under each strategy, side by side, as SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server-stub/simulate/simulation.h"

namespace arkvory::server {

struct Panel {
  std::string title;
  SimulationReport report;
};

// The scenario under all three strategies.
std::vector<Panel> run_strategies(const Scenario& scenario);

// A document of its own. `clients`: of each panel, how many could finish.
std::string plot(const std::vector<Panel>& panels, std::size_t clients);

}  // namespace arkvory::server
