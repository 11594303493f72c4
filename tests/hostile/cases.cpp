// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/cases.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace arkvory::hostile {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto* part : {busy_cases, time_cases, range_cases, validator_cases, body_cases, connection_cases, network_cases,
                     route_cases, local_cases, disk_cases})
    for (auto& one : part()) all.push_back(std::move(one));
  const auto place = [](const Case& one) {
    return std::tuple(one.id.front(), std::strtol(one.id.c_str() + 1, nullptr, 10), one.id);
  };
  std::sort(all.begin(), all.end(), [&](const Case& left, const Case& right) { return place(left) < place(right); });
  return all;
}

}  // namespace arkvory::hostile
