// SPDX-License-Identifier: Apache-2.0
// The scheduler in virtual time (scheduler.md, Simulator): its clients are those of a scenario, its link is a fluid.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/simulate/scenario.h"

namespace arkvory::server {

enum class SimulatedEventKind { arrive, answer, grant, yield, seat_lost, no_show, cancel, finish };
// As it stands in the events: `seat-lost`.
std::string_view to_string(SimulatedEventKind kind);

struct SimulatedAnswer {
  std::optional<std::size_t> position{};  // none for a newcomer
  std::optional<Duration> starts_in{};    // from the event's time; none for a newcomer
  std::optional<std::pair<Duration, Duration>> starts_between{};
  Duration check_in{0};
};

struct SimulatedEvent {
  Duration at{0};  // from the start
  SimulatedEventKind kind = SimulatedEventKind::arrive;
  std::size_t client = 0;                   // its index in the scenario
  std::optional<SimulatedAnswer> answer{};  // of kind `answer`
};

struct SimulationReport {
  std::vector<Duration> finishes;         // from the start, ascending
  std::size_t unfinished = 0;             // clients whose download did not end in a finish
  long double lost_seat_seconds = 0;      // free seats while someone waits who may take them
  long double lost_link_seconds = 0;      // of the link, unused while someone waits
  std::vector<Duration> estimate_errors;  // of every answer with an estimate whose session was seated later
  std::size_t estimates_inside = 0;       // of those, how many were seated within the interval told
  long double mean_interval_seconds = 0;  // of those
  std::uint64_t preemptions = 0;
  std::uint64_t no_shows = 0;
  std::map<std::string, std::uint64_t> position_rises;  // between two answers of a session, by reason (O4)
  Duration ended{0};                                    // virtual time
};

// Where a waiting client stands (O4).
struct SimulatedPlace {
  std::size_t client = 0;
  std::size_t sessions_ahead = 0;
  std::uint64_t bytes_ahead = 0;
  bool operator==(const SimulatedPlace&) const = default;
};

// What happens while a scenario runs, in order of virtual time; any may be empty.
struct SimulationWatch {
  std::function<void(const SimulatedEvent&)> on_event{};
  // After each instant in which there was an event: everyone who waits, by client. Not under `shared`, which has no
  // line.
  std::function<void(Duration at, const std::vector<SimulatedPlace>& line)> on_line{};
};

// Runs the scenario to its end.
SimulationReport simulate(const Scenario& scenario, const SimulationWatch& watch = {});

}  // namespace arkvory::server
