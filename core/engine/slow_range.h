// SPDX-License-Identifier: Apache-2.0
// A range far slower than its siblings is issued again from where it is (client.md, Faults): its connection may have
// met a bad node or a lossy path. Values; Fetch does it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"

namespace arkvory {

// All running ranges are looked at together, so often; each is judged by its last two such periods.
inline constexpr Duration kWatchPeriod = std::chrono::seconds(5);

// What one answer brought.
class RangePace {
 public:
  void came(std::uint64_t bytes) { now_ += bytes; }
  void end_period() {
    earlier_ = latest_;
    latest_ = now_;
    now_ = 0;
  }
  // It is seen from its beginning again.
  void begin_again() { *this = RangePace(); }
  // Bytes in the last two periods; nothing while it has not run for so long.
  std::optional<std::uint64_t> bytes() const {
    return latest_ && earlier_ ? std::optional(*latest_ + *earlier_) : std::nullopt;
  }

 private:
  std::uint64_t now_ = 0;
  std::optional<std::uint64_t> latest_;
  std::optional<std::uint64_t> earlier_;
};

// How fast a range came that is whole. For a while it stands for the siblings of those that still run.
struct FinishedRange {
  Instant at;
  double rate = 0;  // bytes a second
  bool still_tells(Instant now) const { return now - at <= 4 * kWatchPeriod; }
};

// Below an eighth of what its siblings do on the average. Without siblings nothing is slow.
inline bool is_far_slower(double bytes, std::optional<double> siblings) { return siblings && bytes < *siblings / 8; }

}  // namespace arkvory
