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
// Longer ones, as over a suspend, bring no more; it keeps the products in range.
constexpr Duration kLongestStep = std::chrono::minutes(1);

}  // namespace

Governor::Governor(std::uint64_t rate, std::uint64_t floor, Instant now)
    : rate_(rate),
      floor_(floor),
      burst_(static_cast<std::int64_t>(std::max(rate / kBurstPart, kQuantum))),
      tokens_(static_cast<std::int64_t>(kQuantum)),
      accrued_at_(now) {
  ensure(rate > 0, "a governor has a rate");
}

Governor::StreamId Governor::open(std::uint64_t order, Instant now) {
  accrue(now);
  const auto id = next_id_++;
  streams_[id].order = order;
  return id;
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
  if (bytes > 0)
    wanting_[{entry.order, stream}] = &entry;
  else
    wanting_.erase({entry.order, stream});
}

void Governor::refund(StreamId stream, std::uint64_t bytes) {
  tokens_ = std::min(tokens_ + static_cast<std::int64_t>(bytes), burst_);
  if (const auto found = streams_.find(stream); found != streams_.end())
    found->second.credit += static_cast<std::int64_t>(bytes);
}

void Governor::charge(std::uint64_t bytes) { tokens_ -= static_cast<std::int64_t>(bytes); }

void Governor::accrue(Instant now) {
  const auto passed = std::clamp(now - accrued_at_, Duration(0), kLongestStep);
  accrued_at_ = std::max(now, accrued_at_);
  const auto nanoseconds = static_cast<std::uint64_t>(passed.count());
  const auto whole = static_cast<Wide>(rate_) * nanoseconds + left_over_;
  left_over_ = static_cast<std::uint64_t>(whole % kBillion);
  tokens_ = std::min(tokens_ + static_cast<std::int64_t>(whole / kBillion), burst_);
  if (streams_.empty()) return;
  // Credit gathers for a second at the most: a floor is for those who can take it.
  const auto floor = std::min<std::uint64_t>(floor_, rate_ / streams_.size());
  const auto gained = static_cast<std::int64_t>(static_cast<Wide>(floor) * nanoseconds / kBillion);
  const auto most = static_cast<std::int64_t>(std::max(floor, 2 * kQuantum));
  for (auto& [id, stream] : streams_) stream.credit = std::min(stream.credit + gained, most);
}

bool Governor::is_crowded() const { return static_cast<Wide>(floor_) * streams_.size() > rate_; }

// The oldest seat; where all there is goes into floors, the one that has had the least of its own.
Governor::ByOrder::iterator Governor::first_to_serve() {
  if (!is_crowded()) return wanting_.begin();
  return std::max_element(wanting_.begin(), wanting_.end(), [](const auto& left, const auto& right) {
    return left.second->credit < right.second->credit;
  });
}

std::uint64_t Governor::least(const Stream& stream) const { return std::min(stream.wanted, kQuantum); }

void Governor::give(StreamId id, Stream& stream, std::uint64_t bytes, std::vector<Allowance>& given) {
  const auto amount = static_cast<std::int64_t>(bytes);
  tokens_ -= amount;
  stream.credit = std::max(stream.credit - amount, is_crowded() ? -4 * static_cast<std::int64_t>(kQuantum) : 0);
  stream.wanted = 0;
  wanting_.erase({stream.order, id});
  given.push_back({id, bytes});
}

std::vector<Governor::Allowance> Governor::allot(Instant now) {
  accrue(now);
  std::vector<Allowance> given;
  // First those whose floor is due, in the order of their seats.
  for (auto at = wanting_.begin(); at != wanting_.end() && tokens_ > 0;) {
    const auto id = at->first.second;
    auto& stream = *at->second;
    ++at;
    const auto due = static_cast<std::int64_t>(least(stream));
    if (stream.credit >= due && tokens_ >= due) give(id, stream, least(stream), given);
  }
  // Then the one whose turn it is, with all that it can take.
  while (!wanting_.empty() && tokens_ > 0) {
    const auto at = first_to_serve();
    auto& stream = *at->second;
    const auto room = static_cast<std::uint64_t>(tokens_);
    if (room < least(stream)) break;
    give(at->first.second, stream, is_crowded() ? least(stream) : std::min(stream.wanted, room), given);
  }
  return given;
}

std::optional<Instant> Governor::next(Instant now) const {
  if (wanting_.empty()) return std::nullopt;
  const auto missing = static_cast<std::int64_t>(least(*wanting_.begin()->second)) - tokens_;
  if (missing <= 0) return now;
  const auto wait = static_cast<Wide>(missing) * kBillion / rate_ + 1;
  return std::max(now, accrued_at_ + std::max(kPulse, Duration(static_cast<Duration::rep>(wait))));
}

}  // namespace arkvory::server
