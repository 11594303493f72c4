// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "server-stub/simulate/sweep.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

SimulationReport with_finishes(std::size_t count) {
  SimulationReport report;
  for (std::size_t i = 1; i <= count; ++i) report.finishes.push_back(std::chrono::seconds(i));
  report.ended = std::chrono::seconds(count);
  return report;
}

}  // namespace

TEST_CASE("percentiles are by nearest rank") {
  const auto ends = completion(with_finishes(10));
  REQUIRE(ends);
  CHECK(ends->first == 1s);
  CHECK(ends->mean == 5500ms);
  CHECK(ends->p50 == 5s);
  CHECK(ends->p90 == 9s);
  CHECK(ends->p99 == 10s);
  CHECK(ends->last == 10s);
  CHECK(completion(with_finishes(1))->p50 == 1s);
  CHECK_FALSE(completion(SimulationReport()));
}

TEST_CASE("the JSON of a report has the keys that were promised, and null where there is nothing to say") {
  auto report = with_finishes(4);
  report.lost_seat_seconds = 1.5L;
  report.estimate_errors = {3s, 1s, 2s};
  report.estimates_inside = 2;
  report.mean_interval_seconds = 4;
  report.preemptions = 7;
  report.position_rises["aged"] = 5;
  CHECK(
      json(report) ==
      R"({"completion":{"first":1.000000,"mean":2.500000,"p50":2.000000,"p90":4.000000,"p99":4.000000,"last":4.000000},)"
      R"("lostSeatSeconds":1.500000,"lostLinkSeconds":0.000000,)"
      R"("estimate":{"medianError":2.000000,"insideInterval":0.666667,"meanWidth":4.000000},)"
      R"("preemptions":7,"noShows":0,"positionRises":{"aged":5},"virtualSeconds":4.000000})");
  const auto empty = nlohmann::json::parse(json(SimulationReport()));
  CHECK(empty["completion"]["first"].is_null());
  CHECK(empty["estimate"]["medianError"].is_null());
  CHECK(empty["positionRises"].is_object());
}

TEST_CASE("an event is a line of JSON with seconds to the microsecond") {
  Scenario scenario;
  scenario.clients.push_back({.name = "a\"1", .principal = "p", .size = 1});
  CHECK(json(scenario, {1'234'567'891ns, SimulatedEventKind::seat_lost, 0, {}}) ==
        R"({"t":1.234568,"event":"seat-lost","session":"a\"1"})");
  SimulatedAnswer answer{3, 5s, std::pair<Duration, Duration>{1s, 9s}, 2500ms};
  CHECK(json(scenario, {0s, SimulatedEventKind::answer, 0, answer}) ==
        R"({"t":0.000000,"event":"answer","session":"a\"1","position":3,"startsIn":5.000000,)"
        R"("startsBetween":[1.000000,9.000000],"checkIn":2.500000})");
  CHECK(json(scenario, {0s, SimulatedEventKind::answer, 0, SimulatedAnswer{{}, {}, {}, 2s}}) ==
        R"({"t":0.000000,"event":"answer","session":"a\"1","position":null,"startsIn":null,"startsBetween":null,)"
        R"("checkIn":2.000000})");
}

TEST_CASE("the table tells a person what came of it") {
  Scenario scenario;
  scenario.clients.resize(5);
  auto report = with_finishes(4);
  report.unfinished = 1;
  const auto text = table(scenario, report);
  CHECK(text.find("5, 1 did not finish") != std::string::npos);
  CHECK(text.find("ordered, 16 seats") != std::string::npos);
  CHECK(text.find("4.000000 s") != std::string::npos);
}

TEST_CASE("a sweep runs the scenario with each value of a setting") {
  const auto scenario = parse_scenario(
      R"({"link":"1MB/s","settings":{"reserve":0,"bandwidthOrder":"equal"},"clients":[{"count":4,"size":"1MB"}]})");
  REQUIRE(scenario);
  const auto sweep = parse_sweep("sessions=1..3");
  REQUIRE(sweep);
  std::vector<std::pair<std::uint64_t, Duration>> seen;
  REQUIRE(run_sweep(*scenario, *sweep, [&](std::uint64_t value, const SimulationReport& report) {
    seen.emplace_back(value, report.finishes.front());
    return true;
  }));
  CHECK(seen == std::vector<std::pair<std::uint64_t, Duration>>{{1, 1s}, {2, 2s}, {3, 3s}});
  std::size_t count = 0;
  REQUIRE(run_sweep(*scenario, *sweep, [&](std::uint64_t, const SimulationReport&) { return ++count < 2; }));
  CHECK(count == 2);
}

TEST_CASE("what --sweep does not take is refused before anything runs") {
  for (const auto* text : {"", "sessions", "sessions=", "sessions=1", "sessions=3..1", "sessions=a..b", "=1..2",
                           "sessions=1..99999999", "bandwidth=1..2", "nothing=1..2"})
    CHECK_FALSE(parse_sweep(text));
  const auto sweep = parse_sweep("sessions=0..2");
  REQUIRE(sweep);
  CHECK_FALSE(run_sweep(Scenario(), *sweep, [](std::uint64_t, const SimulationReport&) {
    FAIL("ran");
    return true;
  }));
}
