// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"

namespace arkvory::cli {

// A moment for people, in the local zone: `14:05`, or `2027-03-28 14:05` where it is more than 12 hours from `now`.
std::string local_time(WallTime time, WallTime now);

}  // namespace arkvory::cli
