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

// For how many seats a formula says it: where neither reserve nor share nor window nor bandwidth may let one pass
// another. Else none: it is replayed.
std::optional<std::uint64_t> Scheduler::seats_if_plain(const Session& session, std::uint64_t known_rate) const {
  const bool waits_without_id = waiting() > waiting_with_id_;
  const bool may_half_bind = waiting_with_id_ > 0 && (waits_without_id || seats_without_id_ > 0);
  const bool are_floors_all = static_cast<Wide>(settings_.bandwidth_floor) * settings_.seats() > known_rate;
  if (gates_.has_windows() || shares_.may_bind() || may_half_bind || are_floors_all ||
      settings_.bandwidth_order == BandwidthOrder::equal)
    return std::nullopt;
  const auto reserved = settings_.reserved_seats();
  if (reserved == 0) return settings_.seats();
  // While nobody is there whom it is for, the reserve is as if there were fewer seats; to those it is for it is nothing
  // while they are alone.
  const bool has_others = seats_of_others_ > 0 || waiting() > waiting_interactive_;
  const bool has_interactive = waiting_interactive_ > 0 || static_cast<std::int64_t>(active_.size()) > seats_of_others_;
  if (session.download_class == DownloadClass::interactive)
    return has_others ? std::nullopt : std::optional(settings_.seats());
  return has_interactive ? std::nullopt : std::optional(settings_.seats() - reserved);
}

Scheduler::Outlook Scheduler::outlook(SessionId id, Instant now) const {
  const auto known_rate = rate();
  if (!known_rate) return {position(id)};
  const auto seats = seats_if_plain(at(id), *known_rate);
  if (!seats && waiting() <= kLongestReplay)
    if (const auto start = replayed(id.index, now)) return {position(id), *start};
  if (!seats && gates_.has_windows()) return {position(id)};  // perhaps never
  const auto counted = seats.value_or(settings_.seats());
  if (counted == 0) return {position(id)};
  return plain_outlook(id.index, *known_rate, counted);
}

Scheduler::Outlook Scheduler::plain_outlook(SessionIndex index, std::uint64_t known_rate, std::uint64_t seats) const {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(seats + active_.size());
  const auto [ahead, last] = order_.outlook(index, seats - 1, sizes);
  const auto place = ahead.sessions + 1;
  if (ahead.sessions + active_.size() < seats) return {place, StartEstimate{}};
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
  return {place, estimate_start(queue, known_rate)};
}

Replay::Line Scheduler::line_for_replay() const {
  Replay::Line line{{},
                    {},
                    order_.tags(),
                    shares_,
                    gates_,
                    settings_.seats(),
                    reserved_for_others(),
                    *rate(),
                    settings_.bandwidth_order,
                    settings_.bandwidth_floor};
  const auto entry = [this](SessionIndex index, std::uint64_t bytes) {
    const auto& session = sessions_[index];
    return Replay::Seated{
        index, bytes, session.download_class, session.waits_in, session.counted_as, session.has_download_id};
  };
  for (const auto& [number, its] : active_)
    line.active.push_back(entry(its.session, rest(sessions_[its.session], its)));
  line.waiting.reserve(waiting());
  for (auto walk = order_.walk(); !walk.has_ended(); walk.next())
    line.waiting.push_back(entry(walk.session(), wanted(sessions_[walk.session()])));
  return line;
}

// None where it came after the replay was made and another one is not worth it yet, and where it is never seated.
std::optional<StartEstimate> Scheduler::replayed(SessionIndex index, Instant now) const {
  const auto& replayed = replay(now);
  auto start = replayed.start_of(index);
  if (!start) return std::nullopt;
  const auto passed = now - replayed.made_at();
  for (auto* one : {&start->point, &start->from, &start->to}) *one = std::max(*one - passed, Duration(0));
  return start;
}

const Replay& Scheduler::replay(Instant now) const {
  const bool is_good =
      replay_ && now - replay_->made_at() < kGoodForEach * static_cast<Duration::rep>(replay_->length());
  if (!is_good) replay_.emplace(line_for_replay(), now);
  return *replay_;
}

std::optional<Duration> Scheduler::empties_in(Instant now) const {
  if (waiting() == 0) return Duration(0);
  const auto known_rate = rate();
  if (!known_rate || settings_.seats() == 0) return std::nullopt;
  if (waiting() <= kLongestReplay) {
    const auto& replayed = replay(now);
    const auto last = replayed.last_start();
    if (!last) return std::nullopt;
    return std::max(*last - (now - replayed.made_at()), Duration(0));
  }
  if (gates_.has_windows()) return std::nullopt;  // perhaps never
  // As if it were served alone at the end: of so many files the last few make no difference.
  Wide bytes = 0;
  for (const auto& [number, its] : active_) bytes += rest(sessions_[its.session], its);
  for (SessionIndex index = 0; index < sessions_.size(); ++index)
    if (order_.contains(index)) bytes += wanted(sessions_[index]);
  return time_for(bytes, *known_rate);
}

}  // namespace arkvory::server
