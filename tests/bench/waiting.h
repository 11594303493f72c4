// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"

namespace arkvory::bench {

// What a client costs while it waits in a queue, printed as figures per hour of waiting. Two run for `duration` against
// origins that never serve: one is told to come back every five seconds, the other in an hour, so that all its wake-ups
// are beyond its polls. 0; 1 where a client ends, or the second wakes more often than sixty times an hour.
int run_waiting(const std::string& client, Duration duration);

}  // namespace arkvory::bench
