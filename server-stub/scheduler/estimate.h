// SPDX-License-Identifier: Apache-2.0
// When a waiting session will start, and when it should ask again (E1, E3), as functions of values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/wide.h"

namespace arkvory::server {

// From now. `from` and `to` hold the start if everyone in line is present and the rate stays; `point` is where it lies
// if the files are served one after another.
struct StartEstimate {
  Duration point{0};
  Duration from{0};
  Duration to{0};
  friend bool operator==(const StartEstimate&, const StartEstimate&) = default;
};

// What stands between a session and its start, bytes being what is still to be sent.
struct Queue {
  std::uint64_t bytes_ahead = 0;       // W: of active sessions and of the waiting ones before it
  std::uint64_t last_bytes_ahead = 0;  // L: of the k-1 among them that are served last
  std::uint64_t largest_ahead = 0;     // B: the sum of the k-1 largest among them
};

// E1 under `oldest-first`: it starts when all but k-1 of those ahead have ended. Requires rate > 0, in bytes a second.
StartEstimate estimate_start(const Queue& queue, std::uint64_t rate);

// How long the link takes for so many bytes; never more than a hundred years.
Duration time_for(Wide bytes, std::uint64_t rate);

// After how long the session should ask again (E3): half-way to the start, from 2 s (1 s for the first in line) to
// 5 min; but for the first in line later by up to a tenth, by `hash`, so that polls are no herd. Without an estimate
// after the shortest time. `is_third_party`: without a download id; such clients are never told more than 30 s.
Duration time_to_check(const std::optional<StartEstimate>& start, bool is_first, bool is_third_party,
                       std::uint64_t hash);

// Up to 30 s, by `hash`: what those are told beyond the opening of their window (E3).
Duration time_spread(std::uint64_t hash);

// A newcomer's first answer (E3).
inline constexpr Duration kNewcomerCheck = std::chrono::seconds(2);

}  // namespace arkvory::server
