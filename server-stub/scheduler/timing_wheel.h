// SPDX-License-Identifier: Apache-2.0
// When each session must be looked at again: a wheel of buckets, one a tick, in which moving an entry costs O(1).
//
// Entries are 32-bit indices, each in at most one bucket, linked through one array. What is due beyond the wheel's
// horizon stays in its last bucket, is looked at there and filed again: the one who is asked decides whether the time
// has really come.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/clock.h"

namespace arkvory::server {

class TimingWheel {
 public:
  using Entry = std::uint32_t;
  static constexpr std::size_t kBuckets = 1024;

  // `width`: of a bucket. Nothing is due before `begin`.
  TimingWheel(Duration width, Instant begin);

  // Files an entry anew: it comes out of `due` at the first tick at or after `at`, or earlier.
  void file(Entry entry, Instant at);
  void remove(Entry entry);
  std::size_t size() const { return size_; }

  // Takes out and appends all entries whose bucket has come by `now`. O(what is due), at most kBuckets.
  void due(Instant now, std::vector<Entry>& into);

 private:
  static constexpr Entry kNone = UINT32_MAX;
  static constexpr std::uint32_t kUnfiled = UINT32_MAX;
  struct Link {
    Entry previous = kNone;
    Entry next = kNone;
    std::uint32_t bucket = kUnfiled;
  };

  Duration width_;
  Instant begin_;           // of bucket number 0, counted without wrapping
  std::uint64_t done_ = 0;  // the last bucket number taken out
  std::size_t size_ = 0;
  std::vector<Link> links_;  // by entry
  std::array<Entry, kBuckets> heads_;
};

}  // namespace arkvory::server
