// SPDX-License-Identifier: Apache-2.0
// Dates in header fields (RFC 9110 §5.6.7).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace arkvory {

// IMF-fixdate and the two obsolete forms (RFC 850 with the century nearest to `now`, asctime). Strict, whole string;
// weekday names are not checked against the date. Years 1970 to 9999, of which WallTime holds those to 2261: a later
// date is held as the last second of 2261. Second 60 counts as 59.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

// IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions are cut off.
std::string format_http_date(WallTime time);

}  // namespace arkvory
