// SPDX-License-Identifier: Apache-2.0
// A set of bytes as sorted, disjoint, merged ranges: what is held, what is synced, what was sent.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "core/base/byte_range.h"

namespace arkvory {

class IntervalSet {
 public:
  IntervalSet() = default;
  IntervalSet(std::initializer_list<ByteRange> ranges) {
    for (const auto& range : ranges) add(range);
  }

  void add(const ByteRange& range);     // neighbours and overlaps are merged
  void remove(const ByteRange& range);  // may split a range in two
  void clear() { ranges_.clear(); }

  bool empty() const { return ranges_.empty(); }
  bool contains(const ByteRange& range) const;
  bool contains_all_to(std::uint64_t size) const { return prefix_end() >= size; }
  std::uint64_t total() const;       // bytes in the set
  std::uint64_t prefix_end() const;  // end of the range that begins at 0, else 0
  std::size_t count() const { return ranges_.size(); }

  // The bytes of `range` that are in the set.
  IntervalSet within(const ByteRange& range) const;
  // The first run of bytes at or after `from` and before `limit` that is not in the set.
  std::optional<ByteRange> first_gap(std::uint64_t from, std::uint64_t limit) const;

  const std::vector<ByteRange>& ranges() const { return ranges_; }
  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<ByteRange> ranges_;  // sorted, disjoint, no two touching
};

}  // namespace arkvory
