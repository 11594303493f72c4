// SPDX-License-Identifier: Apache-2.0
// What the scheduler does on its tick (L2, Exactly 7): everything that time alone brings about.
#include <algorithm>

#include "core/base/ensure.h"
#include "core/base/wide.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kTailOnlyIdle = seconds(5);       // S9
constexpr Duration kParkedFor = minutes(10);         // S8
constexpr std::uint64_t kWorthAnArrival = 8 * kMiB;  // S8
constexpr Duration kNoShowMargin = seconds(30);      // S11
constexpr Duration kSoon = seconds(5);               // S12
constexpr unsigned kMostDoublings = 32;
constexpr Instant kNever = Instant::max();

}  // namespace

void Scheduler::tick(Instant now, std::vector<SessionId>& granted) {
  count_ends(now);
  watch_rate(now);
  look_at_due(now);
  floors_.forget_expired(now);
  mark(now);
  give_seats(now, granted);
  ticks_with_free_seat_ = free_seats() > 0 && waiting() > 0 && !is_in_grace(now) ? ticks_with_free_seat_ + 1 : 0;
}

void Scheduler::look_at_due(Instant now) {
  std::vector<TimingWheel::Entry> due;
  wheel_.due(now, due);
  std::erase_if(due, [&](SessionIndex index) { return !is_over(index, now); });
  // All at once: a crowd that does not come back must not hold up the rest.
  std::vector<SessionIndex> from_line;
  for (const auto index : due)
    if (sessions_[index].state == SessionState::waiting) from_line.push_back(index);
  order_.leave(from_line);
  for (const auto index : due) {
    loses_arrival(sessions_[index], now);
    remove(index);
  }
}

Instant Scheduler::due_at(const Session& session) const {
  if (session.state == SessionState::parked) return session.parked_at + kParkedFor;
  if (session.present > 0 || session.running > 0) return kNever;
  if (session.state == SessionState::waiting) return session.check_at + kNoShowMargin + session.told / 5;  // S11
  const auto tail_only = std::min(kTailOnlyIdle, settings_.idle);                                          // S9
  return session.idle_since + (session.coverage.has_only_tail() ? tail_only : settings_.idle);             // S8
}

void Scheduler::file(SessionIndex index) { wheel_.file(index, due_at(sessions_[index])); }

// Whether its record has no more reason to be; what only changes is changed.
bool Scheduler::is_over(SessionIndex index, Instant now) {
  const auto& session = sessions_[index];
  if (due_at(session) > now) {
    file(index);
    return false;
  }
  if (session.state != SessionState::active) return true;
  park(index, now);
  return false;
}

// S8: who has idled and delivered little since. It would else come back by its ticket as if it had not (T2), and could
// keep seats empty for ever.
bool Scheduler::loses_arrival(const Session& session, Instant now) {
  if (!session.has_idled || session.delivered_since_idle >= kWorthAnArrival) return false;
  floors_.raise(session.key, session.last_issued, now);
  return true;
}

// S8: the seat is free; arrival and coverage are kept. A second time without 8 MiB in between costs the arrival, and
// with it what its tickets say (T2).
void Scheduler::park(SessionIndex index, Instant now) {
  leave_seat(index);
  auto& session = sessions_[index];
  session.state = SessionState::parked;
  session.parked_at = now;
  if (loses_arrival(session, now)) session.has_lost_arrival = true;
  session.has_idled = true;
  session.delivered_since_idle = 0;
  file(index);
}

// S12, Exactly 10: the first in line, twice as many as there are seats free or soon free, doubling with each tick at
// which a seat stayed free: clients that have vanished must not stall a seat.
void Scheduler::mark(Instant now) {
  for (const auto index : marked_) sessions_[index].is_marked = false;
  marked_.clear();
  if (is_in_grace(now)) return;
  const auto seats = free_seats() + ending_soon();
  if (seats == 0) return;
  const auto doublings = std::min(ticks_with_free_seat_, kMostDoublings);
  const auto most = std::min(static_cast<Wide>(2 * seats) << doublings, static_cast<Wide>(waiting()));
  for (auto walk = order_.walk(); !walk.has_ended() && marked_.size() < most; walk.next()) {
    sessions_[walk.session()].is_marked = true;
    marked_.push_back(walk.session());
  }
}

// Seats whose sessions are predicted to end within 5 s, the link serving the oldest seat first.
std::size_t Scheduler::ending_soon() const {
  const auto known_rate = rate();
  if (!known_rate) return 0;
  const auto reach = static_cast<Wide>(*known_rate) * static_cast<Wide>(kSoon / seconds(1));
  Wide bytes = 0;
  std::size_t count = 0;
  for (const auto index : active_) {
    bytes += rest(sessions_[index]);
    if (bytes <= reach) ++count;
  }
  return count;
}

std::optional<std::uint64_t> Scheduler::rate() const {
  const auto seen = rate_window_.rate();
  if (!settings_.bandwidth) return seen;
  return std::max(*settings_.bandwidth, seen.value_or(0));
}

void Scheduler::watch_rate(Instant now) {
  was_saturated_ = was_saturated_ && free_seats() == 0;
  if (now - second_began_ < seconds(1)) return;
  rate_window_.end_second(now - second_began_, was_saturated_);
  second_began_ = now;
  was_saturated_ = free_seats() == 0;
}

void Scheduler::check_invariants() const {
  std::size_t live = 0;
  std::size_t waits = 0;
  std::size_t sits = 0;
  std::vector<std::size_t> of_principal(principals_.size());
  for (SessionIndex index = 0; index < sessions_.size(); ++index) {
    const auto& session = sessions_[index];
    ensure(order_.contains(index) == (session.is_live && session.state == SessionState::waiting),
           "who waits is in line");
    if (!session.is_live) continue;
    ++live;
    ++of_principal[session.counted_as];
    if (session.state == SessionState::waiting) ++waits;
    if (session.state == SessionState::active) ++sits;
    ensure(session.running == 0 || session.state == SessionState::active, "only a seat sends");
    const auto found = by_key_.find(session.key);
    ensure(found != by_key_.end() && found->second == index, "a live session is found by its key");
  }
  ensure(by_key_.size() == live && wheel_.size() == live, "live sessions are in the table and in the wheel");
  ensure(order_.size() == waits && active_.size() == sits, "lines and seats hold who waits and who is active");
  for (std::size_t i = 0; i < principals_.size(); ++i)
    ensure(principals_[i].sessions == of_principal[i], "a principal's sessions are counted");
}

}  // namespace arkvory::server
