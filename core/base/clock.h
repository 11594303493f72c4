// SPDX-License-Identifier: Apache-2.0
// Two kinds of time that can't be mixed by accident, and the port that tells them.
//
// Instant  — CLOCK_BOOTTIME: for durations and deadlines. It counts a suspended machine's sleep and is never set.
//            It means nothing to another boot or another machine, so it has no encoder.
// WallTime — UTC: for what people and other machines are told. It may be set at any moment.
#pragma once

#include <chrono>

namespace arkvory {

using Duration = std::chrono::nanoseconds;

// The timeline of Instant. Without a `now()` on purpose: the time is asked of a Clock.
struct BootTimeline {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<BootTimeline>;
  static constexpr bool is_steady = true;
};

using Instant = std::chrono::time_point<BootTimeline, Duration>;
using WallTime = std::chrono::sys_time<Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  virtual WallTime wall_now() const = 0;
};

// The machine's clocks. The only file that reads them is system_clock.cpp.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
  WallTime wall_now() const override;
};

}  // namespace arkvory
