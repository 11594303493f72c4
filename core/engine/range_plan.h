// SPDX-License-Identifier: Apache-2.0
// Which range to ask for next: a value that knows the object's size and where asking failed lately.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/byte_range.h"
#include "core/base/clock.h"
#include "core/base/interval_set.h"

namespace arkvory {

class RangePlan {
 public:
  // `range_size` > 0. The size may still be unknown: then only the first range is given.
  RangePlan(std::optional<std::uint64_t> size, std::uint64_t range_size) : size_(size), range_size_(range_size) {}

  void set_size(std::uint64_t size) { size_ = size; }

  // The first range that is neither held nor on its way and may be asked for by now. Ranges end at multiples of the
  // range size, so that they fill blocks from border to border.
  std::optional<ByteRange> next(const IntervalSet& held, const IntervalSet& on_the_way, Instant now) const;

  // Asking for the bytes at `offset` failed again; not before `earliest`.
  void failed_at(std::uint64_t offset, Instant earliest);
  // The same without a failure: a busy server asked to come back for it no earlier.
  void not_before(std::uint64_t offset, Instant earliest) { failures_[offset].earliest = earliest; }
  // How often in a row asking at `offset` has failed.
  unsigned failures_at(std::uint64_t offset) const;
  // Bytes at `offset` came: what failed there before is over.
  void came_at(std::uint64_t offset) { failures_.erase(offset); }

  // When `next` may give more than now, because a failed range becomes due.
  std::optional<Instant> next_due(Instant now) const;

 private:
  struct Failures {
    unsigned in_a_row = 0;
    Instant earliest{};
  };

  std::optional<std::uint64_t> size_;
  std::uint64_t range_size_;
  std::map<std::uint64_t, Failures> failures_;  // by offset; at most one entry per open range
};

}  // namespace arkvory
