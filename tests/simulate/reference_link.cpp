// SPDX-License-Identifier: Apache-2.0
#include "tests/simulate/reference_link.h"

#include <algorithm>
#include <limits>

namespace arkvory::server::reference {

std::vector<Rate> share_equally(Rate link, const std::vector<Rate>& caps, const std::vector<Flow>& flows) {
  const auto kAll = caps.size();  // the link, as a group of all
  std::vector<Rate> rates(flows.size(), 0);
  std::vector<bool> rises(flows.size(), true);
  const auto is_in = [&](std::size_t i, std::size_t group) { return group == kAll || flows[i].group == group; };
  // The level at which a group is full, given those that rise no more.
  const auto full_at = [&](std::size_t group) {
    auto rest = group == kAll ? link : caps[group];
    Rate rising = 0;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!is_in(i, group)) continue;
      if (rises[i]) {
        ++rising;
      } else {
        rest -= rates[i];
      }
    }
    return rising > 0 ? std::max<Rate>(rest, 0) / rising : std::numeric_limits<Rate>::infinity();
  };
  while (std::find(rises.begin(), rises.end(), true) != rises.end()) {
    // Those that rise have all come to the same level: the first thing that binds is the lowest.
    auto level = full_at(kAll);
    for (std::size_t group = 0; group < kAll; ++group) level = std::min(level, full_at(group));
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (rises[i]) level = std::min(level, flows[i].limit);
    auto bound = std::vector<bool>(flows.size(), false);
    for (std::size_t i = 0; i < flows.size(); ++i) bound[i] = rises[i] && flows[i].limit <= level;
    for (std::size_t group = 0; group <= kAll; ++group)
      for (std::size_t i = 0; i < flows.size(); ++i)
        if (rises[i] && is_in(i, group) && full_at(group) <= level) bound[i] = true;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!bound[i]) continue;
      rates[i] = level;
      rises[i] = false;
    }
  }
  return rates;
}

std::vector<Rate> share(Rate link, const std::vector<Rate>& caps, BandwidthOrder order, Rate floor,
                        const std::vector<Flow>& flows) {
  if (order == BandwidthOrder::equal) return share_equally(link, caps, flows);
  auto floors = flows;
  for (auto& flow : floors) flow.limit = std::min(flow.limit, floor);
  auto rates = share_equally(link, caps, floors);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    auto rest = link;
    for (const auto rate : rates) rest -= rate;
    if (flows[i].group) {
      auto of_group = caps[*flows[i].group];
      for (std::size_t j = 0; j < flows.size(); ++j)
        if (flows[j].group == flows[i].group) of_group -= rates[j];
      rest = std::min(rest, of_group);
    }
    rates[i] += std::clamp<Rate>(rest, 0, flows[i].limit - rates[i]);
  }
  return rates;
}

}  // namespace arkvory::server::reference
