// SPDX-License-Identifier: Apache-2.0
// The first start that a waiting session was told, kept until it is known how far off it was (E4).
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "server-stub/scheduler/estimate.h"

namespace arkvory::server {

// Four bytes, for a million may wait: times from the session's arrival in hundredths of a second, with as many binary
// digits as do. The point is kept to a thousandth of the wait; the interval's ends are rounded outward, by at most a
// sixteenth of what lies between them and the point, and a hundredth of a second.
class ToldStart {
 public:
  struct Error {
    Duration size{0};  // how far the start was from the point told, either way
    bool is_inside_interval = false;
  };

  bool is_known() const { return code_ != kNone; }
  // Told `waited` after the arrival. Only the first one counts. One that lies further ahead than a hundred days is
  // none: nobody would compare it.
  void keep(const StartEstimate& told, Duration waited);
  // It started `wait` after the arrival. None where no start was told.
  std::optional<Error> error(Duration wait) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t code_ = kNone;
};

}  // namespace arkvory::server
