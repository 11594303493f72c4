// SPDX-License-Identifier: Apache-2.0
#include "server-stub/simulate/fluid.h"

#include <algorithm>
#include <limits>

namespace arkvory::server {
namespace {

constexpr long double kNoLimit = std::numeric_limits<long double>::infinity();

long double most(const Flow& flow) { return flow.most ? static_cast<long double>(*flow.most) : kNoLimit; }

// Max-min: all rise together, until each is stopped by its own limit, its group's or the link's.
void divide_equally(const Link& link, std::vector<Flow>& flows) {
  auto left = static_cast<long double>(link.rate);
  auto groups = link.limits;
  std::vector<Flow*> rising;
  for (auto& flow : flows) rising.push_back(&flow);
  while (!rising.empty()) {
    std::vector<std::size_t> members(groups.size());
    for (const auto* flow : rising)
      if (flow->group) members[*flow->group] += 1;
    auto step = left / static_cast<long double>(rising.size());
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (members[i] > 0) step = std::min(step, groups[i] / static_cast<long double>(members[i]));
    for (const auto* flow : rising) step = std::min(step, most(*flow) - flow->rate);
    const bool is_link_full = step * static_cast<long double>(rising.size()) >= left;
    for (auto* flow : rising) {
      flow->rate += step;
      left -= step;
      if (flow->group) groups[*flow->group] -= step;
    }
    const auto is_stopped = [&](Flow* flow) {
      if (is_link_full) return true;
      if (flow->group && groups[*flow->group] <= step * 1e-12L) return true;
      flow->is_own_limit = flow->rate >= most(*flow);
      if (flow->is_own_limit) flow->rate = most(*flow);
      return flow->is_own_limit;
    };
    const auto before = rising.size();
    std::erase_if(rising, is_stopped);
    if (rising.size() == before) return;  // rounding: nothing is left to divide
  }
}

// The floors, which are equal shares where they exceed the rate or a group's limit; the rest goes to the oldest.
void divide_by_age(const Link& link, std::vector<Flow>& flows) {
  auto floors = flows;
  for (auto& flow : floors) flow.most = std::min(flow.most.value_or(link.floor), link.floor);
  divide_equally(link, floors);
  auto left = static_cast<long double>(link.rate);
  auto groups = link.limits;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].rate = floors[i].rate;
    flows[i].is_own_limit = floors[i].is_own_limit && most(flows[i]) < static_cast<long double>(link.floor);
    left -= flows[i].rate;
    if (flows[i].group) groups[*flows[i].group] -= flows[i].rate;
  }
  for (auto& flow : flows) {
    auto offered = std::max(left, 0.0L);
    if (flow.group) offered = std::max(std::min(offered, groups[*flow.group]), 0.0L);
    const auto wanted = most(flow) - flow.rate;
    flow.is_own_limit = flow.is_own_limit || wanted < offered;
    const auto more = std::min(wanted, offered);
    flow.rate += more;
    left -= more;
    if (flow.group) groups[*flow.group] -= more;
  }
}

}  // namespace

void divide(const Link& link, std::vector<Flow>& flows) {
  for (auto& flow : flows) {
    flow.rate = 0;
    flow.is_own_limit = false;
  }
  if (flows.empty()) return;
  if (link.order == BandwidthOrder::equal)
    divide_equally(link, flows);
  else
    divide_by_age(link, flows);
}

}  // namespace arkvory::server
