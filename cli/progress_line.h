// SPDX-License-Identifier: Apache-2.0
// The line that tells people how one download stands: pure functions of what is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/engine/status.h"

namespace arkvory::cli {

enum class Phase { starting, transferring, waiting, verifying };

struct LineState {
  std::filesystem::path target{};
  std::string name;  // printable
  Phase phase = Phase::starting;
  ProgressStatus progress{};
  WaitStatus wait{};           // of Phase::waiting
  std::string waiting_text{};  // likewise, as of now: see `waiting_text`
};

// One line of at most `width` columns for a terminal. What doesn't fit is left out, in this order: the bar, the time
// left, the rate, the total; then the name is cut.
std::string progress_line(std::size_t width, const LineState& state);

// The same for a log, without a bar and without a limit: `45 % of 2.0 GiB, 11.2 MiB/s, 1 min left`.
std::string progress_text(const LineState& state);

// `in queue, place 312, starts about 14:05 (in 47 min)`; `server busy, asks again in 5 s`; `fault: …, again in 2 s`.
std::string waiting_text(const WaitStatus& wait, WallTime now);

}  // namespace arkvory::cli
