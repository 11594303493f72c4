// SPDX-License-Identifier: Apache-2.0
// What a simulation says: a table for people, JSON, and its events as lines of JSON (scheduler.md, Simulator). The same
// simulation gives the same bytes.
#pragma once

#include <string>

#include "server-stub/simulate/simulation.h"

namespace arkvory::server {

// Of all who finished: when, from the start of the simulation. Percentiles by nearest rank.
struct Completion {
  Duration first{0};
  Duration mean{0};
  Duration p50{0};
  Duration p90{0};
  Duration p99{0};
  Duration last{0};
};
// None where nobody finished.
std::optional<Completion> completion(const SimulationReport& report);

// Several lines.
std::string table(const Scenario& scenario, const SimulationReport& report);
// One line of a table over the values of a setting, and its head.
std::string table_head(const std::string& setting);
std::string table_row(const std::string& value, const SimulationReport& report);
// One line, without its end. What nobody can say is null.
std::string json(const SimulationReport& report);
// Likewise.
std::string json(const Scenario& scenario, const SimulatedEvent& event);

// `12 min 08 s` and the like, for tables and pictures.
std::string short_time(Duration time);

}  // namespace arkvory::server
