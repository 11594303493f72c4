// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/timing_wheel.h"

#include <algorithm>

#include "server-stub/scheduler/pool.h"

namespace arkvory::server {

TimingWheel::TimingWheel(Duration width, Instant begin) : width_(width), begin_(begin) { heads_.fill(kNone); }

void TimingWheel::file(Entry entry, Instant at) {
  remove(entry);
  grow_to_hold(links_, entry);
  // Rounded up: at the tick at which the time is reached.
  const auto ahead = std::clamp(at - begin_, Duration(0), Duration::max() / 2);
  const auto number = static_cast<std::uint64_t>((ahead + width_ - Duration(1)) / width_);
  const auto filed = std::clamp(number, done_ + 1, done_ + kBuckets - 1);
  const auto bucket = static_cast<std::uint32_t>(filed % kBuckets);
  auto& link = links_[entry];
  link = {kNone, heads_[bucket], bucket};
  if (link.next != kNone) links_[link.next].previous = entry;
  heads_[bucket] = entry;
  ++size_;
}

void TimingWheel::remove(Entry entry) {
  if (entry >= links_.size() || links_[entry].bucket == kUnfiled) return;
  auto& link = links_[entry];
  if (link.previous != kNone)
    links_[link.previous].next = link.next;
  else
    heads_[link.bucket] = link.next;
  if (link.next != kNone) links_[link.next].previous = link.previous;
  link = Link{};
  --size_;
}

void TimingWheel::due(Instant now, std::vector<Entry>& into) {
  if (now < begin_) return;
  const auto last = static_cast<std::uint64_t>((now - begin_) / width_);
  if (last <= done_) return;
  const auto buckets = std::min<std::uint64_t>(last - done_, kBuckets);
  for (std::uint64_t i = 1; i <= buckets; ++i) {
    auto& head = heads_[(done_ + i) % kBuckets];
    while (head != kNone) {
      into.push_back(head);
      remove(head);
    }
  }
  done_ = last;
}

}  // namespace arkvory::server
