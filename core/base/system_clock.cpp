// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include "core/base/clock.h"
#include "core/base/ensure.h"

namespace arkvory {

namespace {

Duration read_clock(clockid_t id) {
  timespec time{};
  ensure(clock_gettime(id, &time) == 0, "the system has CLOCK_BOOTTIME and CLOCK_REALTIME");
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Instant SystemClock::now() const { return Instant(read_clock(CLOCK_BOOTTIME)); }

WallTime SystemClock::wall_now() const { return WallTime(read_clock(CLOCK_REALTIME)); }

}  // namespace arkvory
