// SPDX-License-Identifier: Apache-2.0
#include "tests/simulate/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "server-stub/simulate/simulation.h"
#include "tests/simulate/reference.h"

namespace arkvory::server {
namespace {

using namespace std::chrono_literals;

using Events = std::vector<SimulatedEvent>;

Events first_program(const Scenario& scenario) {
  Events events;
  simulate(scenario, [&](const SimulatedEvent& event) { events.push_back(event); });
  return events;
}

// The spread of checkIn is by a hash: the first program's word is taken for it.
Events second_program(const Scenario& scenario, const Events& first) {
  std::map<std::size_t, std::vector<Duration>> told;
  for (const auto& event : first)
    if (event.answer) told[event.client].push_back(event.answer->check_in);
  const auto check_in = [&](std::size_t client, std::size_t nth, Duration) -> Duration {
    const auto& of_client = told[client];
    return nth < of_client.size() ? of_client[nth] : Duration(2s);
  };
  return reference::simulate(scenario, check_in, {false});
}

// Ends, and what else only takes away, have no order among themselves in one instant.
bool is_end(const SimulatedEvent& event) {
  using Kind = SimulatedEventKind;
  return event.kind == Kind::finish || event.kind == Kind::cancel || event.kind == Kind::no_show ||
         event.kind == Kind::seat_lost;
}

bool is_near(Duration one, Duration other) { return one - other <= 1us && other - one <= 1us; }

void put_ends_in_order(Events& events) {
  for (auto begin = events.begin(); begin != events.end();) {
    auto end = begin;
    while (end != events.end() && is_end(*end) && is_near(end->at, begin->at)) ++end;
    std::sort(begin, end, [](const auto& left, const auto& right) {
      return std::pair(left.kind, left.client) < std::pair(right.kind, right.client);
    });
    begin = end == begin ? end + 1 : end;
  }
}

bool is_same(const SimulatedEvent& one, const SimulatedEvent& other) {
  if (one.kind != other.kind || one.client != other.client || !is_near(one.at, other.at)) return false;
  if (one.answer.has_value() != other.answer.has_value()) return false;
  return !one.answer ||
         (one.answer->position == other.answer->position && one.answer->check_in == other.answer->check_in);
}

std::string words(const Events& events, std::size_t index, const Scenario& scenario) {
  if (index >= events.size()) return "nothing";
  const auto& event = events[index];
  auto text = fmt::format("{:.9f} {} {}", static_cast<double>(event.at.count()) / 1e9,
                          scenario.clients[event.client].name, to_string(event.kind));
  if (event.answer && event.answer->position) text += fmt::format(" position {}", *event.answer->position);
  if (event.answer) text += fmt::format(" checkIn {}", static_cast<double>(event.answer->check_in.count()) / 1e9);
  return text;
}

}  // namespace

std::optional<std::string> difference(const Scenario& scenario, std::size_t before) {
  auto first = first_program(scenario);
  auto second = second_program(scenario, first);
  put_ends_in_order(first);
  put_ends_in_order(second);
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size() && i < second.size() && is_same(first[i], second[i])) continue;
    std::string text;
    for (auto j = i - std::min(i, before); j < i; ++j) text += "  both:   " + words(first, j, scenario) + "\n";
    const auto after = i + std::min<std::size_t>(before, 4);
    for (auto j = i; j <= after; ++j) text += "  first:  " + words(first, j, scenario) + "\n";
    for (auto j = i; j <= after; ++j) text += "  second: " + words(second, j, scenario) + "\n";
    return text;
  }
  return std::nullopt;
}

}  // namespace arkvory::server
