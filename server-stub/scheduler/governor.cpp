// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/governor.h"

#include <algorithm>

#include "core/base/ensure.h"
#include "core/base/wide.h"

namespace arkvory::server {
namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;
// What may gather while nobody could send: a twentieth of a second, so that the rate holds over any second.
constexpr std::uint64_t kBurstPart = 20;

// Bytes in so many nanoseconds; of a byte that is not whole yet, the billionths are kept.
Wide gained(std::uint64_t rate, std::uint64_t nanoseconds, std::uint64_t& left_over) {
  const auto whole = static_cast<Wide>(rate) * nanoseconds + left_over;
  left_over = static_cast<std::uint64_t>(whole % kBillion);
  return whole / kBillion;
}

std::int64_t burst_of(std::uint64_t rate) {
  return static_cast<std::int64_t>(std::max(rate / kBurstPart, Governor::kQuantum));
}

// Adds what was gained, however much that is, up to the most there may be.
void add_up_to(std::int64_t& amount, Wide gained, std::int64_t most) {
  const auto room = static_cast<Wide>(std::max<std::int64_t>(most - amount, 0));
  amount += static_cast<std::int64_t>(std::min(gained, room));
}

}  // namespace

Governor::Governor(std::uint64_t rate, std::uint64_t floor, BandwidthOrder order, Instant now)
    : rate_(rate),
      floor_(floor),
      order_(order),
      burst_(burst_of(rate)),
      tokens_(static_cast<std::int64_t>(kQuantum)),
      accrued_at_(now) {
  ensure(rate > 0, "a governor has a rate");
}

void Governor::change(std::uint64_t floor, BandwidthOrder order, Instant now) {
  accrue(now);
  floor_ = floor;
  order_ = order;
  // How much each was served is compared from here on: else one that was served alone would now get nothing for long.
  for (auto& [id, stream] : streams_) stream.served = least_served_;
}

Governor::StreamId Governor::open(std::uint64_t order, Instant now, std::optional<Group> group) {
  accrue(now);
  const auto id = next_id_++;
  streams_[id].order = order;
  streams_[id].group = group;
  return id;
}

void Governor::limit(Group group, std::optional<std::uint64_t> rate, Instant now) {
  auto& limit = limits_.at(group);
  if (limit.rate == rate) return;
  accrue(now);
  limit = {rate};
}

void Governor::close(StreamId stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  wanting_.erase({found->second.order, stream});
  streams_.erase(found);
}

void Governor::want(StreamId stream, std::uint64_t bytes) {
  auto& entry = streams_.at(stream);
  entry.wanted = bytes;
  entry.served = std::max(entry.served, least_served_);
  if (bytes > 0)
    wanting_[{entry.order, stream}] = &entry;
  else
    wanting_.erase({entry.order, stream});
}

void Governor::refund(StreamId stream, std::uint64_t bytes) {
  tokens_ = std::min(tokens_ + static_cast<std::int64_t>(bytes), burst_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  found->second.credit += static_cast<std::int64_t>(bytes);
  if (limit_of(found->second) != nullptr) limits_[*found->second.group].tokens += static_cast<std::int64_t>(bytes);
}

void Governor::charge(std::uint64_t bytes) {
  const auto room = static_cast<std::uint64_t>(std::max<std::int64_t>(tokens_ + burst_, 0));
  tokens_ -= static_cast<std::int64_t>(std::min(bytes, room));
}

void Governor::accrue(Instant now) {
  const auto passed = std::max(now - accrued_at_, Duration(0));
  accrued_at_ = std::max(now, accrued_at_);
  const auto nanoseconds = static_cast<std::uint64_t>(passed.count());
  add_up_to(tokens_, gained(rate_, nanoseconds, left_over_), burst_);
  for (auto& limit : limits_)
    if (limit.rate) add_up_to(limit.tokens, gained(*limit.rate, nanoseconds, limit.left_over), burst_of(*limit.rate));
  if (streams_.empty()) return;
  // Credit gathers for a second at the most: a share is for those who can take it.
  const auto credit = static_cast<Wide>(share()) * nanoseconds / kBillion;
  const auto most = static_cast<std::int64_t>(std::max(share(), 2 * kQuantum));
  for (auto& [id, stream] : streams_) add_up_to(stream.credit, credit, most);
}

std::uint64_t Governor::share() const {
  const auto equal = rate_ / std::max<std::size_t>(streams_.size(), 1);
  return order_ == BandwidthOrder::equal ? equal : std::min(floor_, equal);
}

bool Governor::is_shared() const {
  return order_ == BandwidthOrder::equal || static_cast<Wide>(floor_) * streams_.size() > rate_;
}

const Governor::Limit* Governor::limit_of(const Stream& stream) const {
  if (!stream.group || !limits_[*stream.group].rate) return nullptr;
  return &limits_[*stream.group];
}

// By the limit of its group.
bool Governor::is_held_back(const Stream& stream) const {
  const auto* limit = limit_of(stream);
  return limit != nullptr && limit->tokens < static_cast<std::int64_t>(least(stream));
}

// The oldest seat; where everything is shared, the one that was served least.
Governor::ByOrder::const_iterator Governor::first_to_serve() const {
  auto first = wanting_.end();
  for (auto at = wanting_.begin(); at != wanting_.end(); ++at) {
    if (is_held_back(*at->second)) continue;
    if (!is_shared()) return at;
    if (first == wanting_.end() || at->second->served < first->second->served) first = at;
  }
  return first;
}

std::uint64_t Governor::least(const Stream& stream) const { return std::min(stream.wanted, kQuantum); }

void Governor::give(StreamId id, Stream& stream, std::uint64_t bytes, std::vector<Allowance>& given) {
  const auto amount = static_cast<std::int64_t>(bytes);
  tokens_ -= amount;
  if (limit_of(stream) != nullptr) limits_[*stream.group].tokens -= amount;
  stream.credit = std::max<std::int64_t>(stream.credit - amount, 0);
  if (is_shared()) least_served_ = std::max(least_served_, stream.served);
  stream.served += bytes;
  stream.wanted = 0;
  wanting_.erase({stream.order, id});
  given.push_back({id, bytes});
}

std::vector<Governor::Allowance> Governor::allot(Instant now) {
  accrue(now);
  std::vector<Allowance> given;
  // First those whose floor is due, in the order of their seats.
  for (auto at = wanting_.begin(); at != wanting_.end() && tokens_ > 0 && !is_shared();) {
    const auto id = at->first.second;
    auto& stream = *at->second;
    ++at;
    const auto due = static_cast<std::int64_t>(least(stream));
    if (stream.credit >= due && tokens_ >= due && !is_held_back(stream)) give(id, stream, least(stream), given);
  }
  // Then the one whose turn it is, with all that it can take.
  while (tokens_ > 0) {
    const auto at = first_to_serve();
    if (at == wanting_.end()) break;
    auto& stream = *at->second;
    const auto* limit = limit_of(stream);
    const auto room = static_cast<std::uint64_t>(limit == nullptr ? tokens_ : std::min(tokens_, limit->tokens));
    if (room < least(stream)) break;
    give(at->first.second, stream, is_shared() ? least(stream) : std::min(stream.wanted, room), given);
  }
  return given;
}

std::optional<Instant> Governor::next(Instant now) const {
  if (wanting_.empty()) return std::nullopt;
  // Until so many tokens have gathered.
  const auto time_to = [&](std::int64_t missing, std::uint64_t rate) {
    if (missing <= 0) return now;
    const auto wait = static_cast<Wide>(missing) * kBillion / rate + 1;
    return std::max(now, accrued_at_ + std::max(kPulse, Duration(static_cast<Duration::rep>(wait))));
  };
  if (const auto at = first_to_serve(); at != wanting_.end())
    return time_to(static_cast<std::int64_t>(least(*at->second)) - tokens_, rate_);
  auto next = Instant::max();
  for (const auto& [key, stream] : wanting_) {
    const auto& limit = limits_[*stream->group];
    next = std::min(next, time_to(static_cast<std::int64_t>(least(*stream)) - limit.tokens, *limit.rate));
  }
  return next;
}

}  // namespace arkvory::server
