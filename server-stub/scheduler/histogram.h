// SPDX-License-Identifier: Apache-2.0
// How often a time came out how long: counts in a few buckets, so that what is kept does not grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/wide.h"

namespace arkvory::server {

class Histogram {
 public:
  // `bounds`: the longest time of each bucket, ascending; one more bucket takes what is longer than all. Not copied:
  // they are constants.
  explicit Histogram(std::span<const Duration> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  // Times below zero count as zero.
  void add(Duration time) {
    time = std::max(time, Duration(0));
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), time) - bounds_.begin();
    counts_[static_cast<std::size_t>(bucket)] += 1;
    nanoseconds_ += static_cast<Wide>(time.count());
  }

  std::span<const Duration> bounds() const { return bounds_; }
  // Of each bucket by itself, the last one being that without a bound.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  // Of all times. A million waits of hours are more than a Duration holds.
  double seconds() const { return static_cast<double>(nanoseconds_) / 1e9; }

 private:
  std::span<const Duration> bounds_;
  std::vector<std::uint64_t> counts_;
  Wide nanoseconds_ = 0;
};

}  // namespace arkvory::server
