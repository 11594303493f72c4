// SPDX-License-Identifier: Apache-2.0
// Who loses a seat to another (O9, Exactly 9), or because it takes too little (S13).
#include <algorithm>
#include <utility>

#include "core/base/wide.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

namespace {

constexpr Duration kLeastHeld = std::chrono::minutes(1);  // O9
constexpr std::uint8_t kMostYields = 2;                   // O9
constexpr Duration kMinute = std::chrono::minutes(1);     // S13
constexpr std::uint64_t kLeastRate = 64 * kKiB;           // S13, bytes a second
constexpr unsigned kSlowMinutes = 2;                      // S13

}  // namespace

// --- S13: minimum progress ------------------------------------------------------------------------------------------

void Scheduler::could_take_more(SessionId id, Duration time, std::uint64_t bytes) {
  auto& session = at(id);
  if (session.state != SessionState::active) return;
  auto& its = seat(id.index);
  its.could_take_more += time;
  its.taken += bytes;
}

// What a tick can see of it: an answer that waits for its client now did so since the last one.
void Scheduler::watch_progress(Duration since_last_tick) {
  for (auto& [number, its] : active_) {
    const auto taken = its.delivered - std::exchange(its.delivered_before, its.delivered);
    if (its.waiting_for_client > 0) could_take_more(id_of(its.session), since_last_tick, taken);
  }
}

void Scheduler::count_slow_minutes() {
  for (auto& [number, its] : active_) {
    if (its.could_take_more < kMinute) continue;
    const auto least = static_cast<Wide>(kLeastRate) * static_cast<Wide>(its.could_take_more.count());
    // Whole bytes: one that is not whole yet is no want.
    const bool is_slow = (static_cast<Wide>(its.taken) + 1) * 1'000'000'000U <= least;
    its.slow_minutes = is_slow ? its.slow_minutes + 1 : 0;
    its.could_take_more = Duration(0);
    its.taken = 0;
  }
}

bool Scheduler::must_leave_at_border(const SeatState& seat) const {
  return seat.slow_minutes >= kSlowMinutes && waiting() > 0;
}

bool Scheduler::is_wanted(SessionId id) const {
  const auto& session = at(id);
  if (session.state != SessionState::active) return false;
  const auto& its = seat(id.index);
  return its.head.has_value() || must_leave_at_border(its);
}

// --- O9: preemption -------------------------------------------------------------------------------------------------

bool Scheduler::may_yield_to(const Session& head, const SeatState& seat, bool is_below_share) const {
  const auto& its = sessions_[seat.session];
  if (its.waits_in > head.waits_in || seat.slow_minutes > 0) return true;  // lower, or by anyone (S13)
  return is_below_share && its.waits_in == head.waits_in && shares_.is_above(its.counted_as);
}

// The lowest class, then the youngest seat.
std::optional<std::uint64_t> Scheduler::victim_for(const Session& head, bool is_below_share, Instant now) const {
  std::optional<std::uint64_t> victim;
  auto lowest = DownloadClass::interactive;
  for (auto at = active_.rbegin(); at != active_.rend(); ++at) {
    const auto& its = at->second;
    const auto& session = sessions_[its.session];
    if (!session.has_download_id || histories_.at(its.session).yields >= kMostYields || its.head ||
        now - its.granted_at < kLeastHeld)
      continue;
    if (!may_yield_to(head, its, is_below_share) || (victim && session.waits_in <= lowest)) continue;
    // Where the reserve lets nobody of its class in, one of that class has to go.
    const bool frees_its_place = session.download_class != DownloadClass::interactive;
    const bool needs_place =
        head.download_class != DownloadClass::interactive &&
        seats_of_others_ - (frees_its_place ? 1 : 0) >= static_cast<std::int64_t>(reserved_for_others());
    if (needs_place) continue;
    victim = at->first;
    lowest = session.waits_in;
  }
  return victim;
}

// Its first that may take a seat and has no victim, or the first of those whose principal is below its share.
std::optional<SessionIndex> Scheduler::next_head(DownloadClass name, bool is_below_share, Instant now) const {
  std::array<bool, kClasses> own{};
  own[static_cast<std::size_t>(name)] = true;
  for (auto walk = order_.walk(own); !walk.has_ended(); walk.next()) {
    const auto index = walk.session();
    const bool has_victim =
        std::any_of(active_.begin(), active_.end(), [&](const auto& one) { return one.second.head == id_of(index); });
    if (has_victim || !may_take_a_victims_seat(index, now)) continue;
    if (!is_below_share || shares_.is_below(sessions_[index].counted_as)) return index;
  }
  return std::nullopt;
}

// One mark a tick in all.
void Scheduler::mark_preemption(Instant now) {
  if (!settings_.preempt || free_seats() > 0 || waiting() == 0 || is_in_grace(now)) return;
  count_moves(true);
  const auto move = [&]() -> std::optional<std::pair<std::uint64_t, SessionIndex>> {
    for (std::size_t i = 0; i < kClasses; ++i)
      for (const bool is_below_share : {false, true}) {
        const auto head = next_head(static_cast<DownloadClass>(i), is_below_share, now);
        if (!head) continue;
        if (const auto victim = victim_for(sessions_[*head], is_below_share, now)) return std::pair(*victim, *head);
      }
    return std::nullopt;
  };
  const auto made = move();
  count_moves(false);
  if (made) active_.at(made->first).head = id_of(made->second);
}

// Seats on the move count as gone for the loser and as held for the winner while the next victim is looked for
// (Exactly 9); for everything else a seat is whose it is.
void Scheduler::count_moves(bool is_made) {
  for (const auto& [number, its] : active_) {
    if (!its.head) continue;
    count_seat(sessions_[its.session], !is_made);
    count_seat(sessions_[its.head->index], is_made);
  }
}

// At the border, with the other moves as they are (Exactly 9).
bool Scheduler::still_yields(SessionIndex index, SessionId head, Instant now) {
  if (!is_live(head) || at(head).state != SessionState::waiting || free_seats() > 0) return false;
  count_moves(true);
  bool holds = may_yield_to(at(head), seat(index), shares_.is_below(at(head).counted_as));
  count_seat(sessions_[index], false);
  holds = holds && may_take_seat(head.index, now);
  count_seat(sessions_[index], true);
  count_moves(false);
  return holds;
}

// A range border: no answer of the session runs, and it has not had everything.
void Scheduler::pass_border(SessionIndex index, Instant now, std::vector<Change>& changes) {
  auto& session = sessions_[index];
  if (!session.is_live || session.state != SessionState::active) return;
  auto& its = seat(index);
  if (its.running > 0) return;
  if (must_leave_at_border(its)) {
    leave_seat(index);
    session.state = SessionState::parked;
    auto& history = histories_.at(index);
    history.parked_at = now;
    history.stands_behind = true;
    file(index);
    tally_.happened(Tally::Event::seat_lost, session.download_class);
    changes.push_back({Change::Kind::seat_lost, id_of(index)});
    return give_seats(now, changes);
  }
  if (!its.head) return;
  const auto head = *std::exchange(its.head, std::nullopt);
  if (!still_yields(index, head, now)) return;
  histories_.at(index).yielded_to = head;
  yield(index, now, changes);
  if (at(head).present > 0) {
    grant(head.index, now, changes);
  } else {
    sessions_[head.index].is_marked = true;
    marked_.push_back(head.index);
  }
  give_seats(now, changes);
}

// It waits anew, as one that arrives now; what its tickets said before restores nothing (T2).
void Scheduler::yield(SessionIndex index, Instant now, std::vector<Change>& changes) {
  leave_seat(index);
  auto& session = sessions_[index];
  floors_.raise(session.key, session.last_issued, now);
  session.check_at = now;
  session.ages_from = now - gates_.barred(session.download_class, now);
  session.stamp = std::chrono::floor<std::chrono::milliseconds>(gates_.wall(now)).time_since_epoch().count();
  session.is_aged = false;
  session.waits_in = session.download_class;
  session.told = Duration(0);
  session.was_told = true;
  session.told_position = 0;
  auto& history = histories_.at(index);
  history.arrival = history.yielded_at = now;
  history.yields += 1;
  tally_.happened(Tally::Event::preemption, session.download_class);
  rises_.happened(RiseReason::returned);
  changes.push_back({Change::Kind::yielded, id_of(index)});
  join(index, now, next_number_++);
  file(index);
}

}  // namespace arkvory::server
