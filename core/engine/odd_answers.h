// SPDX-License-Identifier: Apache-2.0
// How often an odd answer must be heard before it counts. A value.
#pragma once

#include "core/base/clock.h"

namespace arkvory {

// A single odd answer may come from a proxy, a captive portal or a node that lags behind: what is held is not given up
// before it has been heard this often in a row, after 1, 2 and 4 s (client.md, Faults).
inline constexpr unsigned kOddAnswersToBelieve = 4;

// A proper answer about another object: once more, in case it was a node that lags behind.
inline constexpr unsigned kChangesToBelieve = 2;

inline Duration before_asking_again(unsigned heard) { return std::chrono::seconds(1U << (heard - 1)); }

}  // namespace arkvory
