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

struct Line {
  Duration at{0};
  std::vector<SimulatedPlace> places;
};

// What a program tells of a scenario.
struct Course {
  Events events;
  std::vector<Line> lines;
};

auto add_to(std::vector<Line>& lines) {
  return [&lines](Duration at, const std::vector<SimulatedPlace>& line) { lines.push_back({at, line}); };
}

Course first_program(const Scenario& scenario) {
  Course course;
  simulate(scenario, {[&](const SimulatedEvent& event) { course.events.push_back(event); }, add_to(course.lines)});
  return course;
}

// The spread of checkIn is by a hash: the first program's word is taken for it.
Course second_program(const Scenario& scenario, const Events& first, bool has_estimates = false) {
  std::map<std::size_t, std::vector<Duration>> told;
  for (const auto& event : first)
    if (event.answer) told[event.client].push_back(event.answer->check_in);
  const auto check_in = [&](std::size_t client, std::size_t nth, Duration) -> Duration {
    const auto& of_client = told[client];
    return nth < of_client.size() ? of_client[nth] : Duration(2s);
  };
  Course course;
  course.events = reference::simulate(scenario, check_in, {has_estimates, add_to(course.lines)});
  return course;
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

// What two programs call one instant may be two for one of them: the last line of it counts.
std::vector<Line> line_by_instant(const std::vector<Line>& lines) {
  std::vector<Line> last;
  for (const auto& line : lines) {
    if (!last.empty() && is_near(last.back().at, line.at)) last.pop_back();
    last.push_back(line);
  }
  return last;
}

std::string words(const Line& line, const Scenario& scenario) {
  auto text = fmt::format("{:.9f}", static_cast<double>(line.at.count()) / 1e9);
  for (const auto& place : line.places)
    text += fmt::format(" {} {} {},", scenario.clients[place.client].name, place.sessions_ahead, place.bytes_ahead);
  return text;
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

std::string estimate_words(const SimulatedAnswer& answer) {
  if (!answer.starts_in) return " no estimate";
  const auto seconds = [](Duration time) { return static_cast<double>(time.count()) / 1e9; };
  return fmt::format(" starts in {} between {} and {}", seconds(*answer.starts_in),
                     seconds(answer.starts_between->first), seconds(answer.starts_between->second));
}

}  // namespace

std::optional<std::string> difference(const Scenario& scenario, std::size_t before) {
  auto first = first_program(scenario).events;
  auto second = second_program(scenario, first).events;
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

std::optional<std::string> line_difference(const Scenario& scenario, std::size_t& compared) {
  const auto course = first_program(scenario);
  const auto first = line_by_instant(course.lines);
  const auto second = line_by_instant(second_program(scenario, course.events).lines);
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (!is_near(first[i].at, second[i].at) || first[i].places != second[i].places)
      return "  first:  " + words(first[i], scenario) + "\n  second: " + words(second[i], scenario);
    ++compared;
  }
  if (first.size() != second.size()) return "one of the two goes on";
  return std::nullopt;
}

std::optional<std::string> estimate_difference(const Scenario& scenario, std::size_t& compared) {
  const auto course = first_program(scenario);
  auto first = course.events;
  auto second = second_program(scenario, first, true).events;
  put_ends_in_order(first);
  put_ends_in_order(second);
  for (std::size_t i = 0; i < std::min(first.size(), second.size()) && is_same(first[i], second[i]); ++i) {
    if (!first[i].answer || !first[i].answer->position) continue;
    const auto& one = *first[i].answer;
    const auto& other = *second[i].answer;
    const auto is_close = [](Duration left, Duration right) { return left - right <= 1ms && right - left <= 1ms; };
    const bool is_equal = one.starts_in.has_value() == other.starts_in.has_value() &&
                          (!one.starts_in || is_close(*one.starts_in, *other.starts_in));
    if (!is_equal)
      return "  first:  " + words(first, i, scenario) + estimate_words(one) + "\n  second: " + estimate_words(other);
    ++compared;
  }
  return std::nullopt;
}

}  // namespace arkvory::server
