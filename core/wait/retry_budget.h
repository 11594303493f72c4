// SPDX-License-Identifier: Apache-2.0
// How many real faults a download may still meet (client.md, --max-retries and --max-attempts).
#pragma once

namespace arkvory {

struct RetryBudget {
  unsigned retries_left = 20;  // faults in all
  unsigned max_attempts = 10;  // faults in a row on one range
};

}  // namespace arkvory
