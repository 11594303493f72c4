// SPDX-License-Identifier: Apache-2.0
#include "core/engine/range_plan.h"

#include <algorithm>

namespace arkvory {

std::optional<ByteRange> RangePlan::next(const IntervalSet& held, const IntervalSet& on_the_way, Instant now) const {
  if (!size_) return held.empty() && on_the_way.empty() ? ByteRange::make(0, range_size_) : std::nullopt;
  std::uint64_t from = 0;
  while (true) {
    // A gap in both sets: the first gap of one, cut by what the other has in it.
    const auto open = held.first_gap(from, *size_);
    if (!open) return std::nullopt;
    const auto gap = on_the_way.first_gap(open->begin(), open->end());
    if (!gap) {
      from = open->end();
      continue;
    }
    const auto border = (gap->begin() / range_size_ + 1) * range_size_;
    const ByteRange range(gap->begin(), std::min(gap->end(), border));
    const auto failed = failures_.find(range.begin());
    if (failed == failures_.end() || failed->second.earliest <= now) return range;
    from = range.end();
  }
}

void RangePlan::failed_at(std::uint64_t offset, Instant earliest) {
  auto& failures = failures_[offset];
  ++failures.in_a_row;
  failures.earliest = earliest;
}

unsigned RangePlan::failures_at(std::uint64_t offset) const {
  const auto found = failures_.find(offset);
  return found == failures_.end() ? 0 : found->second.in_a_row;
}

std::optional<Instant> RangePlan::next_due(Instant now) const {
  std::optional<Instant> due;
  for (const auto& [offset, failures] : failures_) {
    if (failures.earliest <= now) continue;
    if (!due || failures.earliest < *due) due = failures.earliest;
  }
  return due;
}

}  // namespace arkvory
