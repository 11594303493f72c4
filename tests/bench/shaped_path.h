// SPDX-License-Identifier: Apache-2.0
// One direction of a link as a value: what is put in comes out later, or never. It is told the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/rng.h"

namespace arkvory::bench {

struct LinkNature {
  Duration delay{};                        // each way
  std::uint64_t bytes_per_second = 0;      // each way
  std::uint64_t queue_bytes = 0;           // what may wait in front of the slow part; what comes beyond is dropped
  std::uint64_t lost_of_ten_thousand = 0;  // packets, by chance
};

using Packet = std::vector<std::byte>;

class ShapedPath {
 public:
  ShapedPath(const LinkNature& nature, std::uint64_t seed) : nature_(nature), chance_(seed) {}

  void offer(Packet packet, Instant now);
  // The next packet that has arrived by now, in the order in which they were offered.
  std::optional<Packet> take(Instant now);
  std::optional<Instant> next_arrival() const;

  std::uint64_t offered() const { return offered_; }
  std::uint64_t lost() const { return lost_; }        // by chance
  std::uint64_t dropped() const { return dropped_; }  // for want of room

 private:
  struct OnTheWay {
    Packet packet;
    Instant arrival;
  };

  Duration time_for(std::uint64_t bytes) const;

  LinkNature nature_;
  Rng chance_;
  std::deque<OnTheWay> on_the_way_;
  Instant free_at_{};  // when all that was taken in has been put on the wire
  std::uint64_t offered_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace arkvory::bench
