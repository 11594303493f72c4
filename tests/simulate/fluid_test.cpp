// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/fluid.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace arkvory::server;

namespace {

std::vector<Flow> flows(const std::vector<std::optional<std::uint64_t>>& most) {
  std::vector<Flow> all;
  for (const auto one : most) all.push_back({one});
  return all;
}

std::vector<double> rates(const Link& link, std::vector<Flow> all) {
  divide(link, all);
  std::vector<double> rates;
  for (const auto& flow : all) rates.push_back(static_cast<double>(flow.rate));
  return rates;
}

using Rates = std::vector<double>;
constexpr auto kAny = std::nullopt;
constexpr auto kOldest = BandwidthOrder::oldest_first;
constexpr auto kEqual = BandwidthOrder::equal;

}  // namespace

TEST_CASE("B2: the oldest takes what it can, the rest goes to the next") {
  CHECK(rates({100, kOldest, 0}, flows({kAny, kAny})) == Rates{100, 0});
  CHECK(rates({100, kOldest, 0}, flows({30, 50, kAny})) == Rates{30, 50, 20});
  CHECK(rates({100, kOldest, 0}, flows({30, 20})) == Rates{30, 20});
}

TEST_CASE("B2: everyone keeps a floor, and floors beyond the rate are equal shares") {
  CHECK(rates({100, kOldest, 10}, flows({kAny, kAny, kAny})) == Rates{80, 10, 10});
  CHECK(rates({100, kOldest, 10}, flows({kAny, 4, kAny})) == Rates{86, 4, 10});
  CHECK(rates({100, kOldest, 60}, flows({kAny, kAny})) == Rates{50, 50});
  CHECK(rates({100, kOldest, 60}, flows({kAny, 20})) == Rates{80, 20});
}

TEST_CASE("B2: `equal` is max-min: what a capped one can't take is shared by the others") {
  CHECK(rates({90, kEqual, 0}, flows({kAny, kAny, kAny})) == Rates{30, 30, 30});
  CHECK(rates({90, kEqual, 0}, flows({10, kAny, kAny})) == Rates{10, 40, 40});
  CHECK(rates({90, kEqual, 0}, flows({10, 20, 30})) == Rates{10, 20, 30});
  CHECK(rates({90, kEqual, 0}, {}).empty());
}

TEST_CASE("W1: those who share a limit get no more together") {
  auto all = flows({kAny, kAny, kAny});
  all[0].group = all[1].group = 0;
  CHECK(rates({100, kOldest, 0, {20}}, all) == Rates{20, 0, 80});
  CHECK(rates({100, kEqual, 0, {20}}, all) == Rates{10, 10, 80});
  CHECK(rates({100, kOldest, 15, {20}}, all) == Rates{10, 10, 80});
}

TEST_CASE("W1, B2: floors beyond the limit of those who share one are equal shares of it") {
  auto all = flows({kAny, kAny, 30, 30});
  all[0].group = all[1].group = all[3].group = 0;
  CHECK(rates({2000, kOldest, 500, {200}}, all) == Rates{85, 85, 30, 30});
  CHECK(rates({2000, kOldest, 80, {200}}, all) == Rates{90, 80, 30, 30});
}

TEST_CASE("S13: who is limited by itself is told from who is limited by the link") {
  auto all = flows({30, kAny, 40});
  divide({100, kOldest, 0}, all);
  CHECK(all[0].is_own_limit);
  CHECK_FALSE(all[1].is_own_limit);
  CHECK_FALSE(all[2].is_own_limit);  // has nothing at all
  all = flows({20, kAny});
  divide({100, kEqual, 0}, all);
  CHECK(all[0].is_own_limit);
  CHECK_FALSE(all[1].is_own_limit);
  all = flows({50, kAny});  // exactly what it is offered
  divide({100, kOldest, 50}, all);
  CHECK_FALSE(all[0].is_own_limit);
}
