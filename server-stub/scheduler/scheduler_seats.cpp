// SPDX-License-Identifier: Apache-2.0
// Who gets a seat (S12, S13, O5, O8, W1; Exactly 4).
#include <algorithm>

#include "server-stub/scheduler/amounts.h"
#include "server-stub/scheduler/line_visit.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

namespace {

constexpr Duration kAbsentHeadBinds = std::chrono::seconds(5);  // O9

}  // namespace

std::size_t Scheduler::free_seats() const { return static_cast<std::size_t>(less(settings_.seats(), active_.size())); }

void Scheduler::settle(Instant now, std::vector<Change>& changes) {
  follow_gates(now);
  count_ends(now);
  give_seats(now, changes);
  // The oldest seats first; each may cause grants.
  auto reached = std::exchange(at_border_, {});
  std::sort(reached.begin(), reached.end(), [this](SessionIndex left, SessionIndex right) {
    return histories_.at(left).grant_number < histories_.at(right).grant_number;
  });
  for (const auto index : reached) pass_border(index, now, changes);
  if (ticked_at_ == now) seat_stayed_free_ = free_seats() > 0 && !is_in_grace(now) && count_who_may_take(now, 1) > 0;
}

// Seats that sessions of other classes may hold together (Exactly 5).
std::size_t Scheduler::reserved_for_others() const {
  return static_cast<std::size_t>(settings_.seats() - settings_.reserved_seats());
}

bool Scheduler::may_take_seat(SessionIndex index, Instant now) const {
  if (sessions_[index].download_class != DownloadClass::interactive &&
      seats_of_others_ >= static_cast<std::int64_t>(reserved_for_others()))
    return false;  // O5
  return may_take_a_victims_seat(index, now);
}

// The same without the reserve, which is judged with the victim gone.
bool Scheduler::may_take_a_victims_seat(SessionIndex index, Instant now) const {
  const auto& session = sessions_[index];
  if (gates_.is_barred(session.download_class)) return false;  // W1
  const auto half = static_cast<std::int64_t>((settings_.seats() + 1) / 2);
  if (!session.has_download_id && waiting_with_id_ > 0 && seats_without_id_ >= half) return false;  // S13
  if (!session.has_sat) return true;
  const auto& history = histories_.at(index);
  if (!history.yielded_to || !is_live(*history.yielded_to)) return true;
  const auto& head = sessions_[history.yielded_to->index];  // O9
  // Over at the first tick at which the time is reached (Exactly 7).
  const bool binds = head.present > 0 || ticked_at_.value_or(now) - history.yielded_at < kAbsentHeadBinds;
  return head.state != SessionState::waiting || !binds;
}

std::size_t Scheduler::count_who_may_take(Instant now, std::size_t most) const {
  std::size_t count = 0;
  if (most == 0) return 0;
  visit_line(now, [&](SessionIndex) { return ++count < most; });
  return count;
}

void Scheduler::give_seats(Instant now, std::vector<Change>& changes) {
  if (is_in_grace(now)) return;
  while (const auto index = next_to_seat(now)) grant(*index, now, changes);
}

// S12, Exactly 4: of those present, the first that is marked or has fewer ahead of it than seats are free.
std::optional<SessionIndex> Scheduler::next_to_seat(Instant now) const {
  const auto free = free_seats();
  if (free == 0 || waiting() == 0) return std::nullopt;
  std::size_t ahead = 0;
  std::optional<SessionIndex> first;
  visit_line(now, [&](SessionIndex index) {
    if (sessions_[index].present > 0) first = index;
    return !first && ++ahead < free;
  });
  if (first) return first;
  std::pair<bool, std::size_t> least;
  for (const auto index : marked_) {
    const auto& session = sessions_[index];
    if (!session.is_marked || session.present == 0 || !may_take_seat(index, now)) continue;
    const std::pair its(!shares_.is_below(session.counted_as), order_.ahead_of(index).sessions);
    if (first && its >= least) continue;
    first = index;
    least = its;
  }
  return first;
}

void Scheduler::count_seat(const Session& session, bool is_added) {
  is_added ? shares_.add_seat(session.counted_as) : shares_.remove_seat(session.counted_as);
  const int step = is_added ? 1 : -1;
  if (session.download_class != DownloadClass::interactive) seats_of_others_ += step;
  if (!session.has_download_id) seats_without_id_ += step;
}

void Scheduler::grant(SessionIndex index, Instant now, std::vector<Change>& changes) {
  auto& session = sessions_[index];
  for (auto& [number, other] : active_)
    if (other.head == id_of(index)) other.head.reset();  // it got a seat otherwise
  // Who yielded to it has waited for it long enough (O9).
  for (auto& [other, history] : histories_)
    if (history.yielded_to == id_of(index)) history.yielded_to.reset();
  SeatState its;
  its.session = index;
  its.granted_at = its.idle_since = now;
  its.granted_bytes = wanted(session);
  its.is_outside = !gates_.is_inside(session.download_class);
  const auto arrival = order_.arrival(index);
  const auto number = order_.number(index);
  order_.resize(index, its.granted_bytes);
  if (order_.ahead_of(index).sessions > 0) rises_.happened(RiseReason::passed);
  order_.grant(index);
  shares_.remove_waiting(session.counted_as);
  if (session.has_download_id) --waiting_with_id_;
  if (session.download_class == DownloadClass::interactive) --waiting_interactive_;
  session.state = SessionState::active;
  session.is_marked = false;
  auto& history = histories_[index];
  // The first time; later it may have stood behind others, and its arrival is kept all the same (S13).
  if (!session.has_sat) history.arrival = arrival;
  if (!session.has_sat) tally_.started(session.download_class, now - arrival, session.told_start.error(now - arrival));
  session.has_sat = true;
  history.yielded_to.reset();
  history.number = number;
  history.grant_number = next_grant_++;
  active_.emplace(history.grant_number, its);
  count_seat(session, true);
  file(index);
  changes.push_back({Change::Kind::granted, id_of(index)});
}

// Out of the seat, by whatever path (S10); what was not delivered is given back to the class, and what was delivered
// beyond the grant is charged to it: a session may ask for more than it did at first.
void Scheduler::leave_seat(SessionIndex index) {
  const auto& session = sessions_[index];
  const auto& its = seat(index);
  order_.charge(session.waits_in, std::min(less(its.delivered, its.granted_bytes), kLargestCounted));
  order_.give_back(session.waits_in, less(its.granted_bytes, its.delivered));
  if (its.delivered < its.granted_bytes) rises_.happened(RiseReason::left, session.waits_in);
  active_.erase(histories_.at(index).grant_number);
  count_seat(session, false);
}

}  // namespace arkvory::server
