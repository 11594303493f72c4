// SPDX-License-Identifier: Apache-2.0
// What each session gets of the link (scheduler.md, B2, W1), by filling up glass after glass.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server-stub/scheduler/settings.h"

namespace arkvory::server::reference {

// Bytes a second.
using Rate = long double;

struct Flow {
  Rate limit = 0;                      // what its client can take; 0 for one that is gone
  std::optional<std::size_t> group{};  // of those that together get no more than a cap
};

// In the order of their grants.
std::vector<Rate> share(Rate link, const std::vector<Rate>& caps, BandwidthOrder order, Rate floor,
                        const std::vector<Flow>& flows);

// Max-min: all rise together, each until its limit, its group's cap or the link's end.
std::vector<Rate> share_equally(Rate link, const std::vector<Rate>& caps, const std::vector<Flow>& flows);

}  // namespace arkvory::server::reference
