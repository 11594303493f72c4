// SPDX-License-Identifier: Apache-2.0
// What a waiting session can expect, from what the scheduler holds (O4, E1).
#include <algorithm>
#include <functional>
#include <utility>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

namespace {

// A replay of n sessions is good for n times this, so that it costs a hundredth of the time however many ask.
constexpr Duration kGoodForEach = std::chrono::microseconds(50);
// With more in line the formula has to do: a replay must not hold up everything else.
constexpr std::size_t kLongestReplay = 65'536;

}  // namespace

std::size_t Scheduler::position(SessionId id) const { return order_.ahead_of(id.index).sessions + 1; }

// Where neither reserve nor share nor window nor bandwidth lets one pass another, a formula says it; else a replay.
std::optional<StartEstimate> Scheduler::estimate(SessionId id, Instant now) const {
  const auto known_rate = rate();
  if (!known_rate) return std::nullopt;
  const auto& session = at(id);
  const bool waits_without_id = waiting() > waiting_with_id_;
  const bool may_half_bind = waiting_with_id_ > 0 && (waits_without_id || seats_without_id_ > 0);
  const bool is_interactive = session.download_class == DownloadClass::interactive;
  const bool are_floors_all = static_cast<Wide>(settings_.bandwidth_floor) * settings_.seats() > *known_rate;
  // The reserve is as if there were fewer seats while nobody is there whom it is for, and nothing for those it is for
  // while they are alone.
  const bool has_others = seats_of_others_ > 0 || waiting() > waiting_interactive_;
  const bool has_interactive = waiting_interactive_ > 0 ||
                               active_.size() > static_cast<std::size_t>(std::max<std::int64_t>(seats_of_others_, 0));
  const bool may_reserve_bind = settings_.reserved_seats() > 0 && (is_interactive ? has_others : has_interactive);
  const bool may_bind = gates_.has_windows() || shares_.may_bind() || may_half_bind || may_reserve_bind ||
                        are_floors_all || settings_.bandwidth_order == BandwidthOrder::equal;
  if (may_bind && waiting() <= kLongestReplay) return replayed_estimate(id.index, *known_rate, now);
  const auto seats = is_interactive ? settings_.seats() : settings_.seats() - settings_.reserved_seats();
  if (seats == 0) return std::nullopt;
  return plain_estimate(id.index, *known_rate, seats);
}

StartEstimate Scheduler::plain_estimate(SessionIndex index, std::uint64_t known_rate, std::uint64_t seats) const {
  std::vector<std::uint64_t> sizes;
  const auto [ahead, last] = order_.outlook(index, seats - 1, sizes);
  if (ahead.sessions + active_.size() < seats) return StartEstimate{};
  Queue queue;
  queue.bytes_ahead = ahead.bytes;
  for (const auto& [number, its] : active_) {
    sizes.push_back(rest(sessions_[its.session], its));
    queue.bytes_ahead += sizes.back();
  }
  queue.last_bytes_ahead = last.bytes;
  // Where fewer wait ahead than that, the youngest seats are among the last.
  for (auto i = last.sessions; i + 1 < seats && i - last.sessions < active_.size(); ++i)
    queue.last_bytes_ahead += sizes[sizes.size() - 1 - (i - last.sessions)];
  const auto most = std::min<std::size_t>(seats - 1, sizes.size());
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(most), sizes.end(), std::greater<>());
  for (std::size_t i = 0; i < most; ++i) queue.largest_ahead += sizes[i];
  return estimate_start(queue, known_rate);
}

Replay::Line Scheduler::line_for_replay() const {
  Replay::Line line{{},
                    {},
                    shares_,
                    gates_,
                    settings_.seats(),
                    reserved_for_others(),
                    *rate(),
                    settings_.bandwidth_order,
                    settings_.bandwidth_floor};
  const auto entry = [this](SessionIndex index, std::uint64_t bytes) {
    const auto& session = sessions_[index];
    return Replay::Seated{index, bytes, session.download_class, session.counted_as, session.has_download_id};
  };
  for (const auto& [number, its] : active_)
    line.active.push_back(entry(its.session, rest(sessions_[its.session], its)));
  line.waiting.reserve(waiting());
  for (auto walk = order_.walk(); !walk.has_ended(); walk.next())
    line.waiting.push_back(entry(walk.session(), wanted(sessions_[walk.session()])));
  return line;
}

std::optional<StartEstimate> Scheduler::replayed_estimate(SessionIndex index, std::uint64_t known_rate,
                                                          Instant now) const {
  const bool is_good =
      replay_ && now - replay_->made_at() < kGoodForEach * static_cast<Duration::rep>(replay_->length());
  if (!is_good) replay_.emplace(line_for_replay(), now);
  auto start = replay_->start_of(index);
  // It came after the replay was made, and another one is not worth it yet.
  if (!start && is_good && !gates_.has_windows()) return plain_estimate(index, known_rate, settings_.seats());
  if (!start) return std::nullopt;
  const auto passed = now - replay_->made_at();
  for (auto* one : {&start->point, &start->from, &start->to}) *one = std::max(*one - passed, Duration(0));
  return start;
}

}  // namespace arkvory::server
