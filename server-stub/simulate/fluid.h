// SPDX-License-Identifier: Apache-2.0
// How a link is divided between those who send, as if bytes were a fluid (B2, W1): a function of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server-stub/scheduler/settings.h"

namespace arkvory::server {

struct Flow {
  std::optional<std::uint64_t> most{};  // bytes a second that the client can take
  std::optional<std::size_t> group{};   // the limit that it shares with others
  // Out:
  long double rate = 0;       // bytes a second
  bool is_own_limit = false;  // it takes all it can, and the link has more for it (S13)
};

struct Link {
  std::uint64_t rate = 1;  // bytes a second
  BandwidthOrder order = BandwidthOrder::oldest_first;
  std::uint64_t floor = 0;            // bytes a second for each, before others get more; under `oldest_first`
  std::vector<long double> limits{};  // of the groups, bytes a second
};

// `flows`: the oldest first.
void divide(const Link& link, std::vector<Flow>& flows);

}  // namespace arkvory::server
