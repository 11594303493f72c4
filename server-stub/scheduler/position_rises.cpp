// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/position_rises.h"

#include <algorithm>

namespace arkvory::server {

std::optional<RiseReason> PositionRises::rose(DownloadClass name, Mark mark) {
  const auto since = count_ - (PositionRises::mark() - mark) % (Count{1} << 32U);
  const auto own = static_cast<std::size_t>(name);
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const auto reason = static_cast<RiseReason>(i);
    auto seen = last_[i];
    // What comes into a class shifts that class, what comes into or leaves another shifts the classes against it.
    if (reason == RiseReason::arrival || reason == RiseReason::left) seen[own] = 0;
    const bool is_of_own_class = reason == RiseReason::joined;
    if (is_of_own_class ? seen[own] <= since : *std::max_element(seen.begin(), seen.end()) <= since) continue;
    times_[i] += 1;
    return reason;
  }
  return std::nullopt;
}

}  // namespace arkvory::server
