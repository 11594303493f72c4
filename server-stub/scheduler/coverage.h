// SPDX-License-Identifier: Apache-2.0
// Which bytes a session has had, and whether that is all it came for (S5, S6, S7).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/byte_range.h"
#include "core/base/interval_set.h"

namespace arkvory::server {

class Coverage {
 public:
  static constexpr std::size_t kMostIntervals = 64;

  // The session asked for `range`. A tail read sets no start (S6): clients look at an archive's directory first.
  void asked(const ByteRange& range, bool is_tail_read);
  // An answer with `range` was sent to its end (S5). Of more than 64 intervals the shortest is forgotten, which only
  // delays completion.
  void sent(const ByteRange& range);

  // The lowest offset asked for; none while only the tail was read.
  std::optional<std::uint64_t> start() const {
    if (start_ == kNoStart) return std::nullopt;
    return start_;
  }
  bool has_only_tail() const { return start_ == kNoStart; }
  // Everything from the start to the object's last byte was sent (S7).
  bool is_complete(std::uint64_t size) const;
  // Bytes from the start (or from 0) to the end that were not sent yet.
  std::uint64_t missing(std::uint64_t size) const;

 private:
  static constexpr std::uint64_t kNoStart = UINT64_MAX;
  std::uint64_t start_ = kNoStart;
  std::unique_ptr<IntervalSet> sent_;  // null while nothing was: as for all who wait for their first seat
};

}  // namespace arkvory::server
