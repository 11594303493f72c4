// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/coverage.h"

#include <algorithm>

namespace arkvory::server {

void Coverage::asked(const ByteRange& range, bool is_tail_read) {
  if (!is_tail_read) start_ = std::min(start_, range.begin());
}

void Coverage::sent(const ByteRange& range) {
  if (!sent_) sent_ = std::make_unique<IntervalSet>();
  sent_->add(range);
  if (sent_->count() <= kMostIntervals) return;
  const auto shortest =
      std::min_element(sent_->ranges().begin(), sent_->ranges().end(),
                       [](const ByteRange& left, const ByteRange& right) { return left.length() < right.length(); });
  sent_->remove(ByteRange(*shortest));
}

bool Coverage::is_complete(std::uint64_t size) const {
  if (has_only_tail()) return false;
  return start_ >= size || (sent_ && sent_->contains(ByteRange(start_, size)));
}

std::uint64_t Coverage::missing(std::uint64_t size) const {
  const auto wanted = ByteRange::make(start().value_or(0), size);
  if (!wanted) return 0;
  return wanted->length() - (sent_ ? sent_->within(*wanted).total() : 0);
}

}  // namespace arkvory::server
