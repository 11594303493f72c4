// SPDX-License-Identifier: Apache-2.0
// Until when a download asks nothing, why, and how long that has taken in all. A value; the loop does the waiting.
#pragma once

#include <algorithm>
#include <optional>

#include "core/base/clock.h"
#include "core/engine/status.h"

namespace arkvory {

class Pause {
 public:
  bool is_on() const { return current_.has_value(); }
  Instant until() const { return current_->until; }       // requires is_on()
  WaitReason reason() const { return current_->reason; }  // requires is_on()
  bool is_for_a_seat() const { return current_ && counts(current_->reason); }

  // Another reason takes the place of the one before; nothing makes a pause shorter that somebody asked for.
  void begin(Instant now, Instant until, WaitReason reason) {
    const auto least = current_ ? current_->until : until;
    end(now);
    current_ = Current{now, std::max(until, least), reason};
  }

  void end(Instant now) {
    if (!current_) return;
    in_all_ += now - current_->since;
    if (counts(current_->reason)) for_a_seat_ += now - current_->since;
    current_.reset();
  }

  Duration in_all(Instant now) const { return in_all_ + (current_ ? now - current_->since : Duration(0)); }
  // Of --wait-limit: what is spent waiting for a seat or, which is the same to the user, for the network.
  Duration for_a_seat(Instant now) const {
    return for_a_seat_ + (is_for_a_seat() ? now - current_->since : Duration(0));
  }

  static bool counts(WaitReason reason) {
    return reason == WaitReason::queue || reason == WaitReason::busy || reason == WaitReason::network;
  }

 private:
  struct Current {
    Instant since;
    Instant until;
    WaitReason reason;
  };
  std::optional<Current> current_;
  Duration in_all_{0};
  Duration for_a_seat_{0};
};

}  // namespace arkvory
