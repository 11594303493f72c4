// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "core/base/clock.h"

namespace arkvory {

// Bytes a second over the last few seconds. A longer pause, as in a queue, is no part of it: it begins anew.
class RateMeter {
 public:
  // `bytes` in all have come by `now`. Calls closer than 100 ms apart share one sample.
  void note(Instant now, std::uint64_t bytes) {
    using namespace std::chrono_literals;
    if (!samples_.empty() && now - latest_.time > kWindow) samples_.clear();
    if (!samples_.empty() && now - samples_.back().time < 100ms) {
      latest_ = {now, bytes};
      return;
    }
    samples_.push_back({now, bytes});
    latest_ = samples_.back();
    while (samples_.size() > 2 && now - samples_.front().time > kWindow) samples_.pop_front();
  }

  double rate() const {
    if (samples_.empty()) return 0;
    const auto seconds = std::chrono::duration<double>(latest_.time - samples_.front().time).count();
    if (seconds <= 0 || latest_.bytes < samples_.front().bytes) return 0;
    return static_cast<double>(latest_.bytes - samples_.front().bytes) / seconds;
  }

 private:
  static constexpr Duration kWindow = std::chrono::seconds(5);
  struct Sample {
    Instant time;
    std::uint64_t bytes = 0;
  };
  std::deque<Sample> samples_;
  Sample latest_{};
};

}  // namespace arkvory
