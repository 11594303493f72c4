// SPDX-License-Identifier: Apache-2.0
#include "core/engine/recheck.h"

#include <algorithm>
#include <iterator>

#include "core/base/size.h"

namespace arkvory {

namespace {

constexpr std::uint64_t kTail = 64 * kKiB;

}  // namespace

Recheck::Recheck(Purpose purpose, const IntervalSet& wanted, std::uint64_t size) : purpose_(purpose), size_(size) {
  if (const auto whole = ByteRange::make(0, size)) settled_.add(*whole);
  for (const auto& range : wanted.ranges()) settled_.remove(range);
}

void Recheck::begin_again() { settled_.clear(); }

IntervalSet sample_of(const IntervalSet& held, const BlockDigests& complete, std::uint64_t size, Rng& chance) {
  IntervalSet sample;
  if (held.empty()) return sample;
  const auto& last = held.ranges().back();
  sample.add(ByteRange(std::max(last.begin(), last.end() - std::min(last.end(), kTail)), last.end()));
  if (complete.empty()) return sample;
  const auto drawn = std::next(complete.begin(), static_cast<std::ptrdiff_t>(chance.below(complete.size())));
  sample.add(block_range(drawn->first, size));
  return sample;
}

}  // namespace arkvory
