// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/plot.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE(
    "the picture has a panel for each strategy on common axes: ordered bends early, shared is a wall at the end") {
  const auto scenario =
      parse_scenario(R"({"link":"1MB/s","settings":{"sessions":2},"clients":[{"count":20,"size":"3MB"}]})");
  REQUIRE(scenario);
  const auto panels = run_strategies(*scenario);
  REQUIRE(panels.size() == 3);
  CHECK(panels[0].report.finishes.front() < panels[2].report.finishes.front() / 5);
  CHECK(panels[2].report.finishes.front() == panels[2].report.finishes.back());
  const auto picture = plot(panels, 20);
  CHECK(picture.starts_with("<svg xmlns"));
  CHECK(picture.ends_with("</svg>\n"));
  for (const auto* title : {">ordered<", ">smallest-first<", ">shared<"}) CHECK(count(picture, title) == 1);
  CHECK(count(picture, "stroke-width=\"2\"") == 3);
  // All is in the picture.
  CHECK(picture.find("nan") == std::string::npos);
  CHECK(picture.find("inf<") == std::string::npos);
}

TEST_CASE("the axis has ticks that tell their unit, however short or long it takes") {
  for (const auto& [time, tick] : {std::pair<Duration, std::string_view>(7ms, ">6 ms<"),
                                   {600ms, ">600 ms<"},
                                   {61s, ">60 s<"},
                                   {500s, ">8 min<"},
                                   {26h, ">20 h<"},
                                   {850h, ">30 days<"}}) {
    CAPTURE(tick);
    SimulationReport report;
    report.finishes = {time};
    const auto picture = plot({{"ordered", report}}, 1);
    CHECK(count(picture, tick) == 1);
    CHECK(count(picture, "text-anchor=\"middle\"") >= 3);
    CHECK(count(picture, "text-anchor=\"middle\"") <= 6);
  }
}

TEST_CASE("a picture of nothing is a picture") {
  const auto picture = plot({{"ordered", SimulationReport()}}, 3);
  CHECK(picture.find("nobody finished") != std::string::npos);
}
