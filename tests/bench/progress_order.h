// SPDX-License-Identifier: Apache-2.0
// A runtime promises progress, never order: a burst of downloads, each of many ranges, through the scheduler and the
// pool of workers, beside the same units of work all given to the pool at once.
#pragma once

namespace arkvory::bench {

// Prints a table. False where a promise is five times off.
bool progress_is_not_order(unsigned downloads, unsigned ranges);

}  // namespace arkvory::bench
