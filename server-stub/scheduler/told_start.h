// SPDX-License-Identifier: Apache-2.0
// The first start that a waiting session was told, kept until it is known how far off it was (E4).
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "server-stub/scheduler/estimate.h"

namespace arkvory::server {

// Twelve bytes, for a million may wait: hundredths of a second of 32 bits, which come round after 497 days.
class ToldStart {
 public:
  struct Error {
    Duration size{0};  // how far the start was from the point told, either way
    bool is_inside_interval = false;
  };

  bool is_known() const { return earlier_ != kNone; }
  // Only the first one counts. One that lies further ahead than a hundred days is none: nobody would compare it.
  void keep(const StartEstimate& told, Instant now);
  // None where none was told.
  std::optional<Error> error(Instant started) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t point_ = 0;
  std::uint32_t earlier_ = kNone;  // by how much the interval begins before the point
  std::uint32_t later_ = 0;        // and ends after it
};

}  // namespace arkvory::server
