// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/ensure.h"
#include "server-stub/scheduler/amounts.h"
#include "server-stub/scheduler/pool.h"

namespace arkvory::server {

namespace {

// How long one who is refused for want of room should stay away: sessions end about as often as downloads do.
constexpr Duration kFullPause = std::chrono::seconds(30);

}  // namespace

Scheduler::Scheduler(const SchedulerSettings& settings, const SipKey& hash_key, Instant now,
                     std::optional<Instant> grants_from, WallTime wall)
    : settings_(settings),
      hash_key_(hash_key),
      grants_from_(grants_from),
      by_key_(hash_key, sessions_),
      shares_(settings.per_principal),
      gates_(settings.windows, now, wall),
      order_(settings.weights, settings.strategy),
      wheel_(kTick, now),
      floors_(2 * settings.queue_limit, hash_key),
      second_began_(now) {}

void Scheduler::change(const SchedulerSettings& settings, Instant now) {
  const bool is_same_order = settings.strategy == settings_.strategy && settings.weights == settings_.weights;
  const auto old = std::exchange(settings_, settings);
  settings_.max_downloads = old.max_downloads;
  settings_.hold = old.hold;
  settings_.transfer_queue_limit = old.transfer_queue_limit;
  settings_.queue_limit = old.queue_limit;
  settings_.sessions_per_principal = old.sessions_per_principal;
  settings_.bandwidth = old.bandwidth;
  if (!is_same_order) {
    std::vector<Waiter> waiters(sessions_.size());
    for (SessionIndex index = 0; index < sessions_.size(); ++index)
      if (order_.contains(index))
        waiters[index] = waiter(sessions_[index], order_.arrival(index), order_.number(index));
    order_.change(settings_.weights, settings_.strategy, waiters);
  }
  shares_.change(settings_.per_principal);
  gates_.change(settings_.windows, now);
  for (auto& [number, seat] : active_) seat.head.reset();
  for (SessionIndex index = 0; index < sessions_.size(); ++index)
    if (sessions_[index].is_live) file(index);  // idling and ageing may be due at another time
  rises_.happened(RiseReason::settings);
  replay_.reset();
}

// --- Sessions -------------------------------------------------------------------------------------------------------

bool Scheduler::is_live(SessionId id) const {
  return id.index < sessions_.size() && sessions_[id.index].is_live && sessions_[id.index].generation == id.generation;
}

const Session& Scheduler::at(SessionId id) const {
  ensure(is_live(id), "a session is spoken of while it lives");
  return sessions_[id.index];
}

Session& Scheduler::at(SessionId id) { return const_cast<Session&>(std::as_const(*this).at(id)); }

Instant Scheduler::arrival(SessionId id) const {
  return at(id).has_sat ? histories_.at(id.index).arrival : order_.arrival(id.index);
}

PrincipalIndex Scheduler::principal_index(const std::string& name) {
  const auto [found, is_new] = principal_by_name_.try_emplace(name);
  if (is_new) found->second = shares_.make();
  return found->second;
}

// L1: refused, never more memory.
std::optional<Refused> Scheduler::refusal_for_newcomer(const Arrival& arrival) const {
  if (by_key_.size() >= settings_.queue_limit) return Refused{Refusal::queue_full, kFullPause};
  const auto known = principal_by_name_.find(arrival.counted_as.empty() ? arrival.principal : arrival.counted_as);
  if (arrival.is_anonymous || known == principal_by_name_.end()) return std::nullopt;
  if (shares_.sessions(known->second) < settings_.sessions_per_principal) return std::nullopt;
  return Refused{Refusal::queue_full, kFullPause};
}

SessionIndex Scheduler::make_session(const Arrival& arrival, Instant now) {
  SessionIndex index;
  if (unused_.empty()) {
    index = static_cast<SessionIndex>(sessions_.size());
    sessions_.grow();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  auto& session = sessions_[index];
  const auto generation = session.generation;
  session = Session{};
  session.generation = generation;
  session.is_live = true;
  session.key = arrival.key;
  session.principal = principal_index(arrival.principal);
  session.counted_as = arrival.counted_as.empty() ? session.principal : principal_index(arrival.counted_as);
  session.download_class = session.waits_in = arrival.download_class;
  session.has_download_id = arrival.has_download_id;
  session.size = arrival.size;
  session.version = arrival.version;
  auto arrived = now;
  session.stamp = arrival.stamp;
  // O7: a good ticket restores the arrival, unless it is one that restores nothing any more (T2).
  const bool is_restored = arrival.ticket && floors_.may_restore(arrival.key, arrival.ticket->issued);
  if (arrival.ticket && !is_restored) tally_.happened(Tally::Event::ticket_used_up, arrival.download_class);
  if (is_restored) {
    arrived = std::min(arrival.ticket->arrival, now);
    session.stamp = arrival.ticket->stamp;
    session.was_told = true;  // it is no newcomer
    rises_.happened(RiseReason::ticket);
  }
  session.ages_from = arrived - gates_.barred(session.download_class, now) +
                      gates_.barred_between(session.download_class, arrived, now);
  shares_.add_session(session.counted_as);
  by_key_.add(index);
  session.coverage.asked(arrival.wanted, arrival.is_tail_read);
  join(index, arrived, next_number_++);
  return index;
}

// The one way in which a session ends. Requires that it is neither in line nor seated.
void Scheduler::remove(SessionIndex index) {
  auto& session = sessions_[index];
  by_key_.remove(index);
  wheel_.remove(index);
  shares_.remove_session(session.counted_as);
  session.is_live = session.is_marked = false;
  if (session.has_sat) histories_.erase(index);
  session.generation += 1;
  unused_.push_back(index);
}

void Scheduler::join(SessionIndex index, Instant queued, std::uint32_t number) {
  auto& session = sessions_[index];
  session.state = SessionState::waiting;
  rises_.happened(RiseReason::joined, session.waits_in);
  rises_.happened(RiseReason::arrival, session.waits_in);
  order_.join(index, waiter(session, queued, number));
  shares_.add_waiting(session.counted_as);
  if (session.has_download_id) ++waiting_with_id_;
  if (session.download_class == DownloadClass::interactive) ++waiting_interactive_;
}

Waiter Scheduler::waiter(const Session& session, Instant queued, std::uint32_t number) const {
  const bool is_raised = session.waits_in != session.download_class;
  const auto principal = is_raised ? kAgedPrincipal : session.principal;
  return {session.waits_in, principal, queued, number, wanted(session), session.size, session.is_aged};
}

// Out of the line, many at once; what becomes of them is the caller's.
void Scheduler::leave_line(std::span<const SessionIndex> indices) {
  order_.leave(indices);
  for (auto& [number, its] : active_)
    if (its.head && !order_.contains(its.head->index)) its.head.reset();
  for (const auto index : indices) {
    auto& session = sessions_[index];
    session.is_marked = false;
    rises_.happened(RiseReason::left, session.waits_in);
    shares_.remove_waiting(session.counted_as);
    if (session.has_download_id) --waiting_with_id_;
    if (session.download_class == DownloadClass::interactive) --waiting_interactive_;
  }
}

// S8: back after idling, by the old arrival; without it, as one who comes now. S13: by the old one as well, but behind
// those of its principal who wait.
void Scheduler::come_back(SessionIndex index, const Arrival& arrival, Instant now) {
  auto& session = sessions_[index];
  auto& history = histories_.at(index);
  rises_.happened(RiseReason::returned);
  session.was_told = true;  // is no newcomer
  if (history.has_lost_arrival) {
    history.arrival = now;
    session.ages_from = now - gates_.barred(session.download_class, now);
    session.stamp = arrival.stamp;
    session.is_aged = false;
    session.waits_in = session.download_class;
  }
  const bool is_last = history.has_lost_arrival || history.stands_behind;
  history.has_lost_arrival = history.stands_behind = false;
  join(index, is_last ? now : history.arrival, is_last ? next_number_++ : history.number);
}

// It is of another class now, or its object of another size. It keeps its place in the line of its principal.
void Scheduler::change_class(SessionIndex index, DownloadClass name) {
  auto& session = sessions_[index];
  for (auto& [number, its] : active_)
    if (its.head == id_of(index)) its.head.reset();  // what was decided for it was for the other class
  if (session.download_class == DownloadClass::interactive) --waiting_interactive_;
  if (name == DownloadClass::interactive) ++waiting_interactive_;
  if (session.download_class != name) session.is_aged = false;
  session.download_class = name;
  if (!session.is_aged) session.waits_in = name;
  order_.move(index, waiter(session, order_.arrival(index), order_.number(index)));
  rises_.happened(RiseReason::joined, session.waits_in);
  rises_.happened(RiseReason::arrival, session.waits_in);
}

// The object or the wish may be another than at the last question.
void Scheduler::update(SessionIndex index, const Arrival& arrival) {
  auto& session = sessions_[index];
  const bool is_other_size = session.size != arrival.size;
  if (is_other_size || session.version != arrival.version) {
    session.size = arrival.size;
    session.version = arrival.version;
    session.coverage = Coverage{};
  }
  session.coverage.asked(arrival.wanted, arrival.is_tail_read);
  if (session.state != SessionState::waiting) return;
  if (session.download_class != arrival.download_class || is_other_size) {
    change_class(index, arrival.download_class);
  } else if (order_.bytes(index) != wanted(session)) {
    order_.resize(index, wanted(session));
    rises_.happened(RiseReason::arrival);
  }
}

std::uint64_t Scheduler::wanted(const Session& session) {
  return std::min(session.coverage.missing(session.size), kLargestCounted);
}

std::uint64_t Scheduler::rest(const Session& session, const SeatState& seat) {
  return less(wanted(session), seat.sent_by_running);
}

std::uint64_t Scheduler::hash(const Session& session) const { return sip_hash(hash_key_, session.key.bytes); }

// --- Requests -------------------------------------------------------------------------------------------------------

bool Scheduler::begins_anew(const SessionKey& key) const {
  const auto known = by_key_.find(key);
  if (!known) return true;
  const auto history = histories_.find(*known);
  return history != histories_.end() && history->second.has_lost_arrival;
}

bool Scheduler::has_to_wait(const SessionKey& key) const {
  if (free_seats() > 0) return false;
  const auto known = by_key_.find(key);
  return known && sessions_[*known].state == SessionState::waiting;
}

std::variant<SessionId, Refused> Scheduler::arrive(const Arrival& arrival, Instant now) {
  follow_gates(now);
  count_ends(now);  // ends come first in an instant (Exactly 1)
  const auto known = by_key_.find(arrival.key);
  SessionIndex index;
  if (!known) {
    if (auto refused = refusal_for_newcomer(arrival)) return *refused;
    index = make_session(arrival, now);
  } else {
    index = *known;
    auto& session = sessions_[index];
    const bool is_counted = session.has_download_id && !arrival.may_ask_often;
    if (session.state == SessionState::waiting && is_counted && !session.questions.ask(now))
      return Refused{Refusal::too_many_questions, session.questions.until_next(now)};
    update(index, arrival);
    if (session.state == SessionState::parked) come_back(index, arrival, now);
  }
  sessions_[index].present += 1;
  file(index);
  return id_of(index);
}

std::optional<Seat> Scheduler::take(SessionId id, const ByteRange& range) {
  auto& session = at(id);
  if (session.state != SessionState::active) return std::nullopt;
  auto& its = seat(id.index);
  if (its.running >= settings_.ranges_per_session || (its.running > 0 && is_wanted(id))) return std::nullopt;
  its.running += 1;
  session.present -= 1;
  file(id.index);
  return Seat(*this, id, range, session.version, histories_.at(id.index).grant_number);
}

Notice Scheduler::tell(SessionId id, Instant now) {
  auto& session = at(id);
  ensure(session.state == SessionState::waiting, "only who waits is told to");
  Notice notice;
  if (session.was_told) {
    const auto [place, start] = outlook(id, now);
    notice.position = place;
    notice.start = start;
    if (start && !session.has_sat) session.told_start.keep(*start, now - order_.arrival(id.index));
    notice.check_in = time_to_check(notice.start, place == 1, !session.has_download_id, hash(session));
    if (session.told_position != 0 && place > session.told_position) rises_.rose(session.waits_in, session.told_after);
    session.told_position = static_cast<std::uint32_t>(place);
    session.told_after = rises_.mark();
    // E3: its window's opening, with no cap.
    if (const auto opening = gates_.until_open(session.download_class, now); opening && *opening > Duration(0))
      notice.check_in = *opening + time_spread(hash(session));
  } else {
    notice.check_in = kNewcomerCheck;
  }
  session.was_told = true;
  session.told = notice.check_in;
  session.check_at = now + notice.check_in;
  session.present -= 1;
  file(id.index);
  return notice;
}

void Scheduler::dismiss(SessionId id, Instant now) {
  at(id).present -= 1;
  end_request(id.index, now);
}

void Scheduler::vanish(SessionId id, Instant now) {
  auto& session = at(id);
  session.present -= 1;
  // Others of the session, as behind one address, may have been told to come back, and their time is not over.
  const bool is_expected = session.was_told && now < session.check_at;
  if (session.state != SessionState::waiting || session.present > 0 || is_expected) return end_request(id.index, now);
  leave_line(id.index);
  remove(id.index);
}

bool Scheduler::cancel(const SessionKey& key, Instant now) {
  count_ends(now);
  const auto found = by_key_.find(key);
  if (!found) return false;
  const auto index = *found;
  if (sessions_[index].state == SessionState::waiting) leave_line(index);
  if (sessions_[index].state == SessionState::active) leave_seat(index);
  floors_.raise(key, sessions_[index].last_issued, now);
  remove(index);
  return true;
}

void Scheduler::issued(SessionId id, std::int64_t stamp) {
  auto& session = at(id);
  session.last_issued = std::max<std::int64_t>(session.last_issued, stamp);
}

// --- Answers ---------------------------------------------------------------------------------------------------------

void Scheduler::count_ends(Instant now) {
  for (const auto& end : std::exchange(ended_, {})) count_end(end, now);
}

void Scheduler::delivered(SessionId id, std::uint64_t bytes) {
  rate_window_.delivered(bytes);
  if (!is_live(id)) return;
  auto& session = sessions_[id.index];
  throughput_.delivered(session.download_class, bytes);
  if (session.state != SessionState::active) return;
  auto& history = histories_.at(id.index);
  history.delivered_since_idle += bytes;
  auto& its = active_.at(history.grant_number);
  its.sent_by_running += bytes;
  its.delivered += bytes;
}

void Scheduler::offered(SessionId id, bool is_waiting_for_client) {
  if (!is_live(id) || at(id).state != SessionState::active) return;
  auto& waits = seat(id.index).waiting_for_client;
  is_waiting_for_client ? ++waits : --waits;
}

void Scheduler::count_end(const Ended& end, Instant now) {
  if (!is_live(end.session)) return;  // cancelled meanwhile
  auto& session = sessions_[end.session.index];
  auto& its = seat(end.session.index);
  its.running -= 1;
  its.sent_by_running = less(its.sent_by_running, end.sent);
  its.ended_whole = end.is_at_end;
  if (end.range && end.version == session.version) session.coverage.sent(*end.range);
  end_request(end.session.index, now);
}

// A request has gone, answered or not. With the last one of a session that has had everything goes its seat (S7).
void Scheduler::end_request(SessionIndex index, Instant now) {
  auto& session = sessions_[index];
  if (session.state != SessionState::active) return file(index);
  auto& its = seat(index);
  if (its.running > 0 || session.present > 0) return file(index);
  its.idle_since = now;
  if (!session.coverage.is_complete(session.size)) {
    if (its.ended_whole && is_wanted(id_of(index))) at_border_.push_back(index);
    return file(index);
  }
  leave_seat(index);
  floors_.raise(session.key, session.last_issued, now);
  remove(index);
}

}  // namespace arkvory::server
