// SPDX-License-Identifier: Apache-2.0
// A scenario written as its JSON says it, and what happened in it, to be asked about.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "server-stub/simulate/simulation.h"

namespace arkvory::server {

class Play {
 public:
  // `settings` and `clients`: what stands between the braces and brackets. All has no reserve, share, ageing, floor or
  // preemption where `settings` does not say so; the link has 1 MB/s.
  Play(const std::string& settings, const std::string& clients, const std::string& more = "") {
    const auto has = [&](std::string_view name) {
      return settings.find(fmt::format("\"{}\"", name)) != std::string::npos;
    };
    std::string all = settings;
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!has(name)) all += fmt::format("{}\"{}\":{}", all.empty() ? "" : ",", name, value);
    };
    add("sessions", "1");
    add("reserve", "0");
    add("perPrincipal", "0");
    add("agingMinutes", "0");
    add("bandwidthFloor", "\"0B/s\"");
    add("preempt", "false");
    auto parsed = parse_scenario(R"({"link":"1MB/s","settings":{)" + all + "},\"clients\":[" + clients + "]" +
                                 (more.empty() ? "" : "," + more) + "}");
    if (!parsed) FAIL(parsed.error().words);
    scenario = *parsed;
    report = simulate(scenario, {[&](const SimulatedEvent& event) { events.push_back(event); }});
  }

  const std::string& name(const SimulatedEvent& event) const { return scenario.clients[event.client].name; }

  // `0.5 a grant, 2 b yield`: all of the kinds, without arrivals and answers unless asked for; seconds without trailing
  // zeros.
  std::string all(std::string_view kinds = "grant yield seat-lost no-show cancel finish") const {
    std::string text;
    for (const auto& event : events) {
      const auto kind = to_string(event.kind);
      if (kinds.find(kind) == std::string_view::npos) continue;
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", seconds(event.at), name(event), kind);
      if (event.answer && event.answer->position) text += fmt::format(" {}", *event.answer->position);
    }
    return text;
  }

  // When it happened for the n-th time.
  std::string when(std::string_view client, SimulatedEventKind kind, std::size_t n = 0) const {
    for (const auto& event : events)
      if (name(event) == client && event.kind == kind && n-- == 0) return seconds(event.at);
    return "never";
  }

  static std::string seconds(Duration time) { return fmt::format("{}", static_cast<double>(time.count()) / 1e9); }

  Scenario scenario;
  SimulationReport report;
  std::vector<SimulatedEvent> events;
};

}  // namespace arkvory::server
