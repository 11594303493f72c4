// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"

namespace arkvory::bench {

// What a client costs while it waits in a queue, printed as figures per hour of waiting. Three run for `duration`
// against origins that never serve: one is told to come back every five seconds, the others in an hour, so that all
// their wake-ups are beyond their polls; the last of these has a --wait-limit, and so a record to write each minute. 0;
// 1 where a client ends, or the one without a limit wakes more often than sixty times an hour.
int run_waiting(const std::string& client, Duration duration);

}  // namespace arkvory::bench
