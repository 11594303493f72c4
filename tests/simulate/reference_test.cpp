// SPDX-License-Identifier: Apache-2.0
// The second simulator against figures worked out by hand: what it is to be compared with must be right itself.
#include "tests/simulate/reference.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/simulate/reference_link.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kMB = 1'000'000;

Scenario plain(std::size_t count, std::uint64_t size, std::uint64_t link, std::uint64_t seats, BandwidthOrder order) {
  Scenario scenario;
  scenario.link = link;
  scenario.settings.sessions = seats;
  scenario.settings.reserve = 0;
  scenario.settings.per_principal = 0;
  scenario.settings.aging = 0s;
  scenario.settings.preempt = false;
  scenario.settings.bandwidth_floor = 0;
  scenario.settings.bandwidth_order = order;
  for (std::size_t i = 0; i < count; ++i) {
    SimulatedClient client;
    client.name = "a-" + std::to_string(i + 1);
    client.principal = client.name;
    client.size = size;
    scenario.clients.push_back(client);
  }
  return scenario;
}

std::vector<SimulatedEvent> events(const Scenario& scenario) {
  return reference::simulate(scenario, [](auto, auto, auto) { return Duration(2s); });
}

std::vector<long double> finishes(const Scenario& scenario) {
  std::vector<long double> seconds;
  for (const auto& event : events(scenario))
    if (event.kind == SimulatedEventKind::finish) seconds.push_back(static_cast<long double>(event.at.count()) / 1e9L);
  return seconds;
}

long double mean(const std::vector<long double>& values) {
  long double sum = 0;
  for (const auto value : values) sum += value;
  return sum / static_cast<long double>(values.size());
}

bool is_near(long double value, long double wanted) { return std::abs(value - wanted) < 1e-6L; }

// The letters of the classes in the order of their grants.
std::string grants(const Scenario& scenario) {
  std::string letters;
  for (const auto& event : events(scenario))
    if (event.kind == SimulatedEventKind::grant)
      letters += "IRBG"[static_cast<std::size_t>(scenario.clients[event.client].download_class)];
  return letters;
}

}  // namespace

TEST_CASE("Reference figures: k seats in equal parts end in batches") {
  const auto ends = finishes(plain(10, 40 * kMB, 40 * kMB, 4, BandwidthOrder::equal));
  REQUIRE(ends.size() == 10);
  for (std::size_t i = 0; i < 8; ++i) CHECK(is_near(ends[i], i < 4 ? 4 : 8));
  CHECK(is_near(ends[9], 10));
  // T(n+k)/2 where k divides n.
  CHECK(is_near(mean(finishes(plain(12, 40 * kMB, 40 * kMB, 4, BandwidthOrder::equal))), 8));
}

TEST_CASE("Reference figures: the oldest first and no floor end one by one, whatever the seats") {
  for (const std::uint64_t seats : {1, 3, 4, 7}) {
    const auto ends = finishes(plain(21, 40 * kMB, 40 * kMB, seats, BandwidthOrder::oldest_first));
    REQUIRE(ends.size() == 21);
    for (std::size_t i = 0; i < ends.size(); ++i) CHECK(is_near(ends[i], static_cast<long double>(i + 1)));
    CHECK(is_near(mean(ends), 11));
  }
}

TEST_CASE("Reference figures: shared ends all at once") {
  auto scenario = plain(12, 40 * kMB, 40 * kMB, 4, BandwidthOrder::equal);
  scenario.settings.strategy = Strategy::shared;
  const auto ends = finishes(scenario);
  REQUIRE(ends.size() == 12);
  for (const auto end : ends) CHECK(is_near(end, 12));
}

TEST_CASE("O3: with equal files and all classes waiting the order is I R I B I R I G I R I B I R I") {
  auto scenario = plain(32, 40 * kMB, 40 * kMB, 1, BandwidthOrder::equal);
  for (std::size_t i = 0; i < 32; ++i) scenario.clients[i].download_class = static_cast<DownloadClass>(3 - i / 8);
  CHECK(grants(scenario).substr(0, 15) == "IRIBIRIGIRIBIRI");
}

TEST_CASE("Reference figures: of equal files in each class the classes end in the order of their weights") {
  // 800 in each class end at 1500, 2200, 2800 and 3200; 40 at a twentieth of that.
  auto scenario = plain(160, 40 * kMB, 40 * kMB, 1, BandwidthOrder::oldest_first);
  for (std::size_t i = 0; i < 160; ++i) scenario.clients[i].download_class = static_cast<DownloadClass>(i / 40);
  const auto order = grants(scenario);
  CHECK(order.rfind('I') + 1 == 75);
  CHECK(order.rfind('R') + 1 == 110);
  CHECK(order.rfind('B') + 1 == 140);
  CHECK(order.rfind('G') + 1 == 160);
}

TEST_CASE("O1: principals of a class take turns") {
  auto scenario = plain(6, 40 * kMB, 40 * kMB, 1, BandwidthOrder::equal);
  for (std::size_t i = 0; i < 6; ++i) scenario.clients[i].principal = i < 4 ? "p" : "q";
  std::vector<std::size_t> order;
  for (const auto& event : events(scenario))
    if (event.kind == SimulatedEventKind::grant) order.push_back(event.client);
  CHECK(order == std::vector<std::size_t>{0, 4, 1, 5, 2, 3});
}

TEST_CASE("B2: max-min gives the others what a capped one can't take") {
  using reference::Flow;
  CHECK(reference::share_equally(100, {}, {Flow{10, {}}, Flow{200, {}}, Flow{200, {}}}) ==
        std::vector<reference::Rate>{10, 45, 45});
  CHECK(reference::share_equally(100, {30}, {Flow{200, 0}, Flow{10, 0}, Flow{200, {}}}) ==
        std::vector<reference::Rate>{20, 10, 70});
  CHECK(reference::share(100, {}, BandwidthOrder::oldest_first, 5, {Flow{60, {}}, Flow{200, {}}, Flow{200, {}}}) ==
        std::vector<reference::Rate>{60, 35, 5});
  CHECK(reference::share(12, {}, BandwidthOrder::oldest_first, 5, {Flow{60, {}}, Flow{60, {}}, Flow{60, {}}}) ==
        std::vector<reference::Rate>{4, 4, 4});
  CHECK(reference::share(100, {30}, BandwidthOrder::oldest_first, 5, {Flow{200, 0}, Flow{200, 0}, Flow{200, {}}}) ==
        std::vector<reference::Rate>{25, 5, 70});
}
