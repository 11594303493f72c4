// SPDX-License-Identifier: Apache-2.0
// One question a second for a session that waits, after twenty at once (protocol.md §3, `rate_limited`).
#pragma once

#include <algorithm>
#include <chrono>

#include "core/base/clock.h"

namespace arkvory::server {

class QuestionLimit {
 public:
  static constexpr int kAtOnce = 20;
  static constexpr Duration kEach = std::chrono::seconds(1);

  // Counts a question; false where it is one too many.
  bool ask(Instant now) {
    // The time at which all earlier questions are paid for.
    const auto paid = std::max(paid_at_, now);
    if (paid - now > (kAtOnce - 1) * kEach) return false;
    paid_at_ = paid + kEach;
    return true;
  }
  // From `now` until the next question would be answered.
  Duration until_next(Instant now) const { return std::max(paid_at_ - now - (kAtOnce - 1) * kEach, Duration(0)); }

 private:
  Instant paid_at_{};
};

}  // namespace arkvory::server
