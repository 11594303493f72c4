// SPDX-License-Identifier: Apache-2.0
// The moments of --not-before and --not-after as people write them (client.md, download). Nothing here reads a clock.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/civil_time.h"
#include "core/base/clock.h"

namespace arkvory {

// A moment as it was given and what that meant then. Kept together, so that the same command after a kill has the
// moment it had, and another text is another wish.
struct GivenTime {
  std::string given;
  WallTime time{};  // in whole milliseconds
  friend bool operator==(const GivenTime&, const GivenTime&) = default;
};

// What a zone's clock on the wall shows at a moment.
using LocalClock = std::function<CivilTime(WallTime)>;
// The zone of this process (TZ, /etc/localtime), from libc.
LocalClock system_zone();

// RFC 3339; `+DURATION` from `now`; or HH:MM, the first moment not before `from` at which a new day's clock comes to
// show it: of a doubled hour the first pass, of a skipped one the moment after the gap. Nothing where it is none of
// these, or is outside of what WallTime can name (1970 to 2261).
std::optional<WallTime> parse_time_argument(std::string_view text, WallTime now, WallTime from, const LocalClock& zone);

// One of the three forms, whatever it means today.
bool is_time_argument(std::string_view text);

// What counts where an earlier run of the same download left `before`: the same text means the moment it meant then.
std::optional<GivenTime> kept_time(const std::optional<GivenTime>& now, const std::optional<GivenTime>& before);

}  // namespace arkvory
