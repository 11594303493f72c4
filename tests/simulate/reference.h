// SPDX-License-Identifier: Apache-2.0
// A second simulator, written from scheduler.md alone: slow, plain, and without a line of the scheduler's own code. At
// every instant everything is worked out anew.
#pragma once

#include <functional>
#include <vector>

#include "server-stub/simulate/simulation.h"

namespace arkvory::server::reference {

// What the nth answer (from 0) of a client tells it, at that time. It holds a spread by a hash that is nobody's
// business but the first program's.
using CheckIn = std::function<Duration(std::size_t client, std::size_t nth, Duration at)>;

struct Options {
  bool has_estimates = true;
  // As the first program's.
  std::function<void(Duration at, const std::vector<SimulatedPlace>& line)> on_line{};
};

// The events in order of virtual time.
std::vector<SimulatedEvent> simulate(const Scenario& scenario, const CheckIn& check_in, Options options = {});

}  // namespace arkvory::server::reference
