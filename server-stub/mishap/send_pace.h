// SPDX-License-Identifier: Apache-2.0
// How many bytes of a disturbed answer may go out when: a stall, a slow rate, an early end, as a function of values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"

namespace arkvory::server {

// Of one answer. Positions count from the first byte of its head.
struct SendPlan {
  std::optional<std::uint64_t> ends_at{};    // the connection ends here
  std::optional<std::uint64_t> stalls_at{};  // nothing goes out for `stall`
  std::optional<Duration> stall{};           // none: for ever
  std::optional<std::uint64_t> rate{};       // bytes a second, > 0, from the end of the head on
  std::uint64_t head = 0;                    // its length
};

class SendPace {
 public:
  explicit SendPace(const SendPlan& plan) : plan_(plan) {}

  struct Step {
    std::uint64_t bytes = 0;  // that may go out now
    Instant again{};          // where there are none: when to ask again, Instant::max() for never
  };
  // After `sent` bytes. Time does not go back, `sent` neither.
  Step next(std::uint64_t sent, Instant now);
  bool is_over(std::uint64_t sent) const { return plan_.ends_at && sent >= *plan_.ends_at; }

 private:
  Step paced(std::uint64_t sent, Instant now);

  SendPlan plan_;
  std::optional<Instant> stalled_{};  // since when
  std::optional<Instant> begun_{};    // the body
};

}  // namespace arkvory::server
