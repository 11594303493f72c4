// SPDX-License-Identifier: Apache-2.0
// What this program has allocated, counted in its own operator new.
#pragma once

#include <cstdint>

namespace arkvory::bench {

std::int64_t allocated_now();
// The most since the last call.
std::int64_t peak_allocated();

}  // namespace arkvory::bench
