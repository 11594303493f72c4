// SPDX-License-Identifier: Apache-2.0
// What the link carries, as far as it was seen (E2): the rates of the saturated seconds of the last minute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/clock.h"

namespace arkvory::server {

class RateWindow {
 public:
  static constexpr std::size_t kSeconds = 60;

  void delivered(std::uint64_t bytes) { bytes_ += bytes; }
  // A second of the boot clock is over, `length` after the last call; `is_saturated`: all seats were held throughout,
  // so that the link and not the demand was the limit.
  void end_second(Duration length, bool is_saturated);
  // Bytes a second: the 90th percentile, for a plain peak is biased upward; none before a saturated second was seen.
  std::optional<std::uint64_t> rate() const;

 private:
  struct Second {
    std::uint64_t rate = 0;
    bool is_saturated = false;
  };
  std::array<Second, kSeconds> seconds_{};
  std::size_t next_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace arkvory::server
