// SPDX-License-Identifier: Apache-2.0
// One question a second for a session that waits, after twenty at once (protocol.md §3, `rate_limited`).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/base/clock.h"

namespace arkvory::server {

// In milliseconds of 32 bits, which come round after 49 days: no session waits for so long without a question.
class QuestionLimit {
 public:
  static constexpr int kAtOnce = 20;
  static constexpr Duration kEach = std::chrono::seconds(1);

  // Counts a question; false where it is one too many.
  bool ask(Instant now) {
    const auto ahead = paid_ahead(now);
    if (ahead > (kAtOnce - 1) * kEach) return false;
    paid_at_ = milliseconds(now) + static_cast<std::uint32_t>((ahead + kEach) / std::chrono::milliseconds(1));
    return true;
  }
  // From `now` until the next question would be answered.
  Duration until_next(Instant now) const {
    return std::max<Duration>(paid_ahead(now) - (kAtOnce - 1) * kEach, Duration(0));
  }

 private:
  static std::uint32_t milliseconds(Instant at) {
    return static_cast<std::uint32_t>(at.time_since_epoch() / std::chrono::milliseconds(1));
  }
  // How far the time at which all questions are paid for lies ahead.
  Duration paid_ahead(Instant now) const {
    const auto ahead = static_cast<std::int32_t>(paid_at_ - milliseconds(now));
    return std::chrono::milliseconds(std::max(ahead, 0));
  }

  std::uint32_t paid_at_ = 0;
};

}  // namespace arkvory::server
