// SPDX-License-Identifier: Apache-2.0
// Time that moves only when told to.
#pragma once

#include "core/base/clock.h"
#include "core/base/ensure.h"

namespace arkvory::sim {

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime wall = WallTime(std::chrono::seconds(1798761600)))  // 2027-01-01T00:00:00Z
      : wall_offset_(wall.time_since_epoch()) {}

  Instant now() const override { return now_; }
  WallTime wall_now() const override { return WallTime(wall_offset_ + now_.time_since_epoch()); }

  // Both clocks go on. Never backwards.
  void advance_to(Instant time) {
    ensure(time >= now_, "virtual time never goes backwards");
    now_ = time;
  }
  void advance(Duration by) { advance_to(now_ + by); }
  // Somebody sets the wall clock.
  void step_wall(Duration by) { wall_offset_ += by; }

 private:
  Instant now_{};
  Duration wall_offset_;
};

}  // namespace arkvory::sim
