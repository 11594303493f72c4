// SPDX-License-Identifier: Apache-2.0
// What a waiting session can expect, from what the scheduler holds (O4, E1).
#include <algorithm>
#include <functional>
#include <utility>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

namespace {

// Further back the point under `equal` is that of `oldest-first`: an answer must not cost more than a moment.
constexpr std::size_t kLongestReplay = 4096;

}  // namespace

std::size_t Scheduler::position(SessionId id) const { return order_.ahead_of(id.index).sessions + 1; }

std::optional<StartEstimate> Scheduler::estimate(SessionId id) const {
  const auto known_rate = rate();
  if (!known_rate) return std::nullopt;
  const auto seats = settings_.seats();
  const auto ahead = order_.ahead_of(id.index);
  if (ahead.sessions + active_.size() < seats) return StartEstimate{};
  Queue queue;
  queue.bytes_ahead = ahead.bytes;
  std::vector<std::uint64_t> sizes;
  for (const auto index : active_) {
    sizes.push_back(rest(sessions_[index]));
    queue.bytes_ahead += sizes.back();
  }
  const auto last = order_.just_ahead_of(id.index, seats - 1);
  queue.last_bytes_ahead = last.bytes;
  // Where fewer wait ahead than that, the youngest seats are among the last.
  for (auto i = last.sessions; i + 1 < seats && i - last.sessions < active_.size(); ++i)
    queue.last_bytes_ahead += sizes[active_.size() - 1 - (i - last.sessions)];
  order_.largest_ahead_of(id.index, seats - 1, sizes);
  const auto most = std::min<std::size_t>(seats - 1, sizes.size());
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(most), sizes.end(), std::greater<>());
  for (std::size_t i = 0; i < most; ++i) queue.largest_ahead += sizes[i];
  auto start = estimate_start(queue, *known_rate);
  if (settings_.bandwidth_order == BandwidthOrder::equal && ahead.sessions <= kLongestReplay)
    start.point = replay(id.index, *known_rate);
  return start;
}

Duration Scheduler::replay(SessionIndex index, std::uint64_t known_rate) const {
  std::vector<std::uint64_t> seated;
  for (const auto one : active_) seated.push_back(rest(sessions_[one]));
  std::vector<std::uint64_t> ahead;
  for (auto walk = order_.walk(); walk.session() != index; walk.next()) {
    const auto& session = sessions_[walk.session()];
    ahead.push_back(wanted(session));
  }
  return replay_equal(std::move(seated), ahead, settings_.seats(), known_rate);
}

}  // namespace arkvory::server
