// SPDX-License-Identifier: Apache-2.0
#include "core/wait/backoff.h"

#include <algorithm>

namespace arkvory {

using namespace std::chrono_literals;

Duration backoff_after_fault(unsigned in_a_row, Rng& chance) {
  constexpr Duration least = 100ms;
  Duration most = 500ms;
  for (unsigned i = 1; i < in_a_row && most < 8s; ++i) most *= 2;
  most = std::min<Duration>(most, 8s);
  return least + chance.up_to(most - least);
}

Duration busy_floor(unsigned in_a_row, Duration ceiling) {
  Duration floor = 1s;
  for (unsigned i = 1; i < in_a_row && floor < ceiling; ++i) floor += floor / 4;
  return std::min(floor, ceiling);
}

Duration busy_addition(Duration wait, Rng& chance) {
  const Duration most = std::min<Duration>(std::max<Duration>(1200ms, wait / 10), 30s);
  return chance.up_to(most);
}

}  // namespace arkvory
