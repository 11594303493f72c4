// SPDX-License-Identifier: Apache-2.0
// Chance as a value made from a seed: the same seed gives the same run. Not for secrets.
#pragma once

#include <cstdint>

#include "core/base/clock.h"
#include "core/base/wide.h"

namespace arkvory {

// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every seed is good.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  // Uniform in [0, bound). Requires bound > 0. The bias is below 2^-32 for every bound used here.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

  // Uniform in [0, most].
  Duration up_to(Duration most) {
    return Duration(static_cast<Duration::rep>(below(static_cast<std::uint64_t>(most.count()) + 1)));
  }

  // True with a probability of `percent` in 100.
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace arkvory
