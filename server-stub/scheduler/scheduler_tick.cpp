// SPDX-License-Identifier: Apache-2.0
// What the scheduler does on its tick (L2, Exactly 7): everything that time alone brings about.
#include <algorithm>
#include <utility>

#include "core/base/ensure.h"
#include "core/base/wide.h"
#include "server-stub/scheduler/line_visit.h"
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

void Scheduler::tick(Instant now, std::vector<Change>& changes) {
  follow_gates(now);
  count_ends(now);
  ticks_with_free_seat_ = seat_stayed_free_ ? ticks_with_free_seat_ + 1 : 0;
  seat_stayed_free_ = false;
  if (ticked_at_) watch_progress(now - *ticked_at_);
  ticked_at_ = now;
  watch_rate(now);
  look_at_due(now, changes);
  floors_.forget_expired(now);
  count_slow_minutes();
  mark(now);
  mark_preemption(now);
}

void Scheduler::look_at_due(Instant now, std::vector<Change>& changes) {
  std::vector<TimingWheel::Entry> due;
  wheel_.due(now, due);
  std::vector<SessionIndex> aged;
  std::vector<SessionIndex> idle;
  std::erase_if(due, [&](SessionIndex index) { return !is_over(index, now, aged, idle); });
  sort_by_arrival(aged);
  age(aged);
  // All at once: a crowd that does not come back must not hold up the rest.
  std::vector<SessionIndex> from_line;
  for (const auto index : due)
    if (sessions_[index].state == SessionState::waiting) from_line.push_back(index);
  for (const auto index : from_line) {
    tally_.happened(Tally::Event::no_show, sessions_[index].download_class);
    changes.push_back({Change::Kind::no_show, id_of(index)});
  }
  leave_line(from_line);
  for (const auto index : due) {
    loses_arrival(index, now);
    remove(index);
  }
  for (const auto index : idle) park(index, now, changes);
}

namespace {

Instant no_show_at(const Session& session) {
  return session.present > 0 ? kNever : session.check_at + kNoShowMargin + session.told / 5;  // S11
}

}  // namespace

Instant Scheduler::due_at(SessionIndex index) const {
  const auto& session = sessions_[index];
  if (session.state == SessionState::waiting) return std::min(no_show_at(session), ages_at(session));
  if (session.state == SessionState::parked) return histories_.at(index).parked_at + kParkedFor;
  const auto& its = seat(index);
  if (session.present > 0 || its.running > 0) return kNever;
  const auto tail_only = std::min(kTailOnlyIdle, settings_.idle);                           // S9
  return its.idle_since + (session.coverage.has_only_tail() ? tail_only : settings_.idle);  // S8
}

void Scheduler::file(SessionIndex index) { wheel_.file(index, due_at(index)); }

// Whether its record has no more reason to be; who only ages or has idled is noted.
bool Scheduler::is_over(SessionIndex index, Instant now, std::vector<SessionIndex>& aged,
                        std::vector<SessionIndex>& idle) {
  const auto& session = sessions_[index];
  if (due_at(index) > now) {
    file(index);
    return false;
  }
  if (session.state == SessionState::parked) return true;
  if (session.state == SessionState::active) {
    idle.push_back(index);
    return false;
  }
  if (no_show_at(session) <= now) return true;
  aged.push_back(index);
  return false;
}

// --- O6: ageing -----------------------------------------------------------------------------------------------------

// When it has waited long enough; time outside its window does not count.
Instant Scheduler::ages_at(const Session& session) const {
  if (settings_.aging == Duration(0) || session.is_aged || gates_.is_barred(session.download_class)) return kNever;
  const bool can_rise = session.download_class > DownloadClass::release;
  if (!can_rise && settings_.strategy != Strategy::smallest_first) return kNever;
  return session.ages_from + settings_.aging + gates_.barred(session.download_class, Instant());
}

// One class up, once, never above `release`; under `smallest_first` they go by arrival besides (O1).
void Scheduler::age(std::span<const SessionIndex> indices) {
  for (const auto index : indices) {
    auto& session = sessions_[index];
    session.is_aged = true;
    move_in_line(index, session.download_class > DownloadClass::release
                            ? static_cast<DownloadClass>(static_cast<int>(session.download_class) - 1)
                            : session.download_class);
    rises_.happened(RiseReason::aged);
    file(index);
  }
}

// As they are to join another line together: the first of them brings the place in the ring (O7, Exactly 3).
void Scheduler::sort_by_arrival(std::vector<SessionIndex>& waiting) const {
  std::sort(waiting.begin(), waiting.end(), [this](SessionIndex left, SessionIndex right) {
    return std::pair(order_.arrival(left), order_.number(left)) <
           std::pair(order_.arrival(right), order_.number(right));
  });
}

// Stands in another class's line, or in another place, from now on; it has not left.
void Scheduler::move_in_line(SessionIndex index, DownloadClass to) {
  auto& session = sessions_[index];
  session.waits_in = to;
  order_.move(index, waiter(session, order_.arrival(index), order_.number(index)));
}

// --- W1: windows ----------------------------------------------------------------------------------------------------

void Scheduler::follow_gates(Instant now) {
  std::vector<DownloadClass> changed;
  gates_.follow(now, changed);
  for (const auto name : changed) {
    rises_.happened(RiseReason::window);
    if (gates_.is_inside(name) && gates_.outside_share_ppm(name) == 0) order_.reopen(name);
    std::vector<SessionIndex> of_class;
    for (SessionIndex index = 0; index < sessions_.size(); ++index) {
      const auto& session = sessions_[index];
      if (session.is_live && session.state == SessionState::waiting && session.download_class == name)
        of_class.push_back(index);
    }
    sort_by_arrival(of_class);
    for (const auto index : of_class) {
      if (gates_.is_barred(name) && sessions_[index].is_aged) {
        sessions_[index].is_aged = false;
        move_in_line(index, name);
      }
      file(index);
    }
  }
}

// S8: who has idled and delivered little since. It would else come back by its ticket as if it had not (T2), and could
// keep seats empty for ever.
bool Scheduler::loses_arrival(SessionIndex index, Instant now) {
  const auto& session = sessions_[index];
  const auto history = histories_.find(index);
  if (history == histories_.end() || !history->second.has_idled ||
      history->second.delivered_since_idle >= kWorthAnArrival)
    return false;
  floors_.raise(session.key, session.last_issued, now);
  return true;
}

// S8: the seat is free; arrival and coverage are kept. A second time without 8 MiB in between costs the arrival, and
// with it what its tickets say (T2).
void Scheduler::park(SessionIndex index, Instant now, std::vector<Change>& changes) {
  leave_seat(index);
  auto& session = sessions_[index];
  session.state = SessionState::parked;
  auto& history = histories_.at(index);
  history.parked_at = now;
  if (loses_arrival(index, now)) history.has_lost_arrival = true;
  history.has_idled = true;
  history.delivered_since_idle = 0;
  file(index);
  tally_.happened(Tally::Event::seat_lost, session.download_class);
  changes.push_back({Change::Kind::seat_lost, id_of(index)});
}

// S12, Exactly 10: the first in line, twice as many as there are seats free or soon free, doubling with each tick at
// which a seat stayed free: clients that have vanished must not stall a seat.
void Scheduler::mark(Instant now) {
  for (const auto index : marked_) sessions_[index].is_marked = false;
  marked_.clear();
  if (is_in_grace(now)) return;
  const auto ending = ending_soon();
  const auto seats = free_seats() + ending.size();
  if (seats == 0) return;
  const auto doublings = std::min(ticks_with_free_seat_, kMostDoublings);
  const auto most = std::min(static_cast<Wide>(2 * seats) << doublings, static_cast<Wide>(waiting()));
  if (most == 0) return;
  for (const auto index : ending) count_seat(sessions_[index], false);
  visit_line(now, [&](SessionIndex index) {
    marked_.push_back(index);
    return marked_.size() < most;
  });
  for (const auto index : ending) count_seat(sessions_[index], true);
  for (const auto index : marked_) sessions_[index].is_marked = true;
}

// Sessions predicted to end within 5 s: under `oldest_first` by the bytes of the older seats and their own, else by
// their part of the rate.
std::vector<SessionIndex> Scheduler::ending_soon() const {
  std::vector<SessionIndex> ending;
  const auto known_rate = rate();
  if (!known_rate) return ending;
  const bool is_equal = settings_.bandwidth_order == BandwidthOrder::equal;
  const auto reach = static_cast<Wide>(*known_rate) * static_cast<Wide>(kSoon / seconds(1));
  Wide older = 0;
  for (const auto& [number, its] : active_) {
    const Wide own = rest(sessions_[its.session], its);
    const auto bytes = is_equal ? own * active_.size() : own + older;
    older += own;
    const bool is_ending =
        is_equal && its.rate ? 1000 * own <= static_cast<Wide>(*its.rate) * (kSoon / seconds(1)) : bytes <= reach;
    if (is_ending) ending.push_back(its.session);
  }
  return ending;
}

// With a governor the link carries what it lets through (B1, E2).
std::optional<std::uint64_t> Scheduler::rate() const {
  return settings_.bandwidth ? settings_.bandwidth : rate_window_.rate();
}

void Scheduler::watch_rate(Instant now) {
  was_saturated_ = was_saturated_ && free_seats() == 0;
  if (now - second_began_ < seconds(1)) return;
  rate_window_.end_second(now - second_began_, was_saturated_);
  throughput_.end_second(now - second_began_);
  second_began_ = now;
  was_saturated_ = free_seats() == 0;
}

void Scheduler::check_invariants() const {
  std::size_t live = 0;
  std::size_t waits = 0;
  std::size_t sits = 0;
  std::size_t waits_with_id = 0;
  std::vector<std::size_t> of_principal(shares_.principals());
  std::vector<std::int64_t> waits_of_principal(shares_.principals());
  std::vector<std::int64_t> sits_of_principal(shares_.principals());
  for (SessionIndex index = 0; index < sessions_.size(); ++index) {
    const auto& session = sessions_[index];
    ensure(order_.contains(index) == (session.is_live && session.state == SessionState::waiting),
           "who waits is in line");
    if (!session.is_live) continue;
    ++live;
    ++of_principal[session.counted_as];
    if (session.state == SessionState::waiting) ++waits, ++waits_of_principal[session.counted_as];
    if (session.state == SessionState::waiting && session.has_download_id) ++waits_with_id;
    if (session.state == SessionState::active) {
      ++sits;
      ensure(session.has_sat && seat(index).session == index, "a seat knows its session");
      const auto& head = seat(index).head;
      ++sits_of_principal[session.counted_as];
      ensure(!head || (is_live(*head) && at(*head).state == SessionState::waiting), "a head waits");
    }
    const auto found = by_key_.find(session.key);
    ensure(found == index, "a live session is found by its key");
  }
  ensure(by_key_.size() == live && wheel_.size() == live, "live sessions are in the table and in the wheel");
  ensure(order_.size() == waits && active_.size() == sits, "lines and seats hold who waits and who is active");
  ensure(waiting_with_id_ == waits_with_id, "those with an id are counted");
  for (PrincipalIndex i = 0; i < shares_.principals(); ++i)
    ensure(shares_.sessions(i) == of_principal[i] && shares_.waiting(i) == waits_of_principal[i] &&
               shares_.seats(i) == sits_of_principal[i],
           "what a principal has is counted");
}

}  // namespace arkvory::server
