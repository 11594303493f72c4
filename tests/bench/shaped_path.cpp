// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/shaped_path.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace arkvory::bench {

Duration ShapedPath::time_for(std::uint64_t bytes) const {
  constexpr std::uint64_t second = 1'000'000'000;
  return Duration(static_cast<Duration::rep>(bytes * second / nature_.bytes_per_second));
}

void ShapedPath::offer(Packet packet, Instant now) {
  ++offered_;
  if (chance_.below(10'000) < nature_.lost_of_ten_thousand) {
    ++lost_;
    return;
  }
  const auto begins = std::max(now, free_at_);
  const auto own_time = time_for(packet.size());
  if (begins - now + own_time > time_for(nature_.queue_bytes)) {
    ++dropped_;
    return;
  }
  free_at_ = begins + own_time;
  on_the_way_.push_back({std::move(packet), free_at_ + nature_.delay});
}

std::optional<Packet> ShapedPath::take(Instant now) {
  if (on_the_way_.empty() || on_the_way_.front().arrival > now) return std::nullopt;
  auto packet = std::move(on_the_way_.front().packet);
  on_the_way_.pop_front();
  return packet;
}

std::optional<Instant> ShapedPath::next_arrival() const {
  if (on_the_way_.empty()) return std::nullopt;
  return on_the_way_.front().arrival;
}

}  // namespace arkvory::bench
