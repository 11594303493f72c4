// SPDX-License-Identifier: Apache-2.0
#include "core/base/interval_set.h"

#include <algorithm>

namespace arkvory {

namespace {

// The first range that ends after `offset`: the only one that may contain it.
template <typename Ranges>
auto first_ending_after(Ranges& ranges, std::uint64_t offset) {
  return std::upper_bound(ranges.begin(), ranges.end(), offset,
                          [](std::uint64_t value, const ByteRange& range) { return value < range.end(); });
}

}  // namespace

void IntervalSet::add(const ByteRange& range) {
  // From the first range that touches or overlaps (its end may equal our begin) …
  auto first = std::lower_bound(ranges_.begin(), ranges_.end(), range.begin(),
                                [](const ByteRange& held, std::uint64_t value) { return held.end() < value; });
  auto begin = range.begin();
  auto end = range.end();
  auto last = first;
  // … to the last one that begins no later than we end.
  while (last != ranges_.end() && last->begin() <= end) {
    begin = std::min(begin, last->begin());
    end = std::max(end, last->end());
    ++last;
  }
  if (first == last) {
    ranges_.insert(first, ByteRange(begin, end));
    return;
  }
  *first = ByteRange(begin, end);
  ranges_.erase(first + 1, last);
}

void IntervalSet::remove(const ByteRange& range) {
  auto first = first_ending_after(ranges_, range.begin());
  std::vector<ByteRange> kept;
  auto last = first;
  for (; last != ranges_.end() && last->begin() < range.end(); ++last) {
    if (auto before = ByteRange::make(last->begin(), std::min(last->end(), range.begin()))) kept.push_back(*before);
    if (auto after = ByteRange::make(std::max(last->begin(), range.end()), last->end())) kept.push_back(*after);
  }
  auto at = ranges_.erase(first, last);
  ranges_.insert(at, kept.begin(), kept.end());
}

bool IntervalSet::contains(const ByteRange& range) const {
  auto found = first_ending_after(ranges_, range.begin());
  return found != ranges_.end() && found->contains(range);
}

std::uint64_t IntervalSet::total() const {
  std::uint64_t sum = 0;
  for (const auto& range : ranges_) sum += range.length();
  return sum;
}

std::uint64_t IntervalSet::prefix_end() const {
  return !ranges_.empty() && ranges_.front().begin() == 0 ? ranges_.front().end() : 0;
}

IntervalSet IntervalSet::within(const ByteRange& range) const {
  IntervalSet found;
  for (auto at = first_ending_after(ranges_, range.begin()); at != ranges_.end() && at->begin() < range.end(); ++at)
    found.ranges_.push_back(*at->intersection(range));
  return found;
}

std::optional<ByteRange> IntervalSet::first_gap(std::uint64_t from, std::uint64_t limit) const {
  auto at = first_ending_after(ranges_, from);
  while (at != ranges_.end() && at->begin() <= from) {
    from = at->end();
    ++at;
  }
  const auto end = at == ranges_.end() ? limit : std::min(limit, at->begin());
  return ByteRange::make(from, end);
}

}  // namespace arkvory
