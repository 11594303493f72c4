// SPDX-License-Identifier: Apache-2.0
// Timestamps of RFC 3339: the only encoder and parser of WallTime besides HTTP dates.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace arkvory {

// `2027-03-27T21:30:00Z`, `…+01:00`, `t`/`z` in lower case, a space in place of `T`, a fraction of any length (cut
// after nanoseconds). Second 60 is taken as the last nanosecond of second 59. Years 1970 to 2261 (what WallTime can
// hold). Whole string.
std::optional<WallTime> parse_rfc3339(std::string_view text);

// UTC with milliseconds: `2027-03-27T20:30:00.000Z`.
std::string format_rfc3339(WallTime time);

}  // namespace arkvory
