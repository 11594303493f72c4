// SPDX-License-Identifier: Apache-2.0
// How long to wait where nobody said how long.
#pragma once

#include "core/base/clock.h"
#include "core/base/rng.h"

namespace arkvory {

// After the n-th fault in a row (from 1): exponential with full jitter, uniform in 0.1 s … 0.5 s · 2^(n-1), at most
// 8 s (client.md, Faults). The tenth of a second keeps a lucky draw from hammering.
Duration backoff_after_fault(unsigned in_a_row, Rng& chance);

// The least wait after the n-th busy answer in a row: 1 s, growing by a quarter each time to `ceiling`
// (client.md, Waiting).
Duration busy_floor(unsigned in_a_row, Duration ceiling);

// What is added to a wait that was asked for, so that many clients told the same moment don't come together: uniform
// in 0 … max(1.2 s, a tenth of the wait), at most 30 s. Never subtracted.
Duration busy_addition(Duration wait, Rng& chance);

}  // namespace arkvory
