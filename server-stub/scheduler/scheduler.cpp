// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::server {

namespace {

// How long one who is refused for want of room should stay away: sessions end about as often as downloads do.
constexpr Duration kFullPause = std::chrono::seconds(30);

// Larger ones count as that large in sums: a million of them don't overflow.
constexpr std::uint64_t kLargestCounted = std::uint64_t{1} << 43U;

std::uint64_t less(std::uint64_t from, std::uint64_t amount) { return from - std::min(from, amount); }

}  // namespace

Scheduler::Scheduler(const SchedulerSettings& settings, const SipKey& hash_key, Instant now,
                     std::optional<Instant> grants_from)
    : settings_(settings),
      hash_key_(hash_key),
      grants_from_(grants_from),
      by_key_(0, SessionKeyHash{hash_key}),
      order_(settings.weights),
      wheel_(kTick, now),
      floors_(2 * settings.queue_limit, hash_key),
      second_began_(now) {}

// --- Sessions -------------------------------------------------------------------------------------------------------

bool Scheduler::is_live(SessionId id) const {
  return id.index < sessions_.size() && sessions_[id.index].is_live && sessions_[id.index].generation == id.generation;
}

const Session& Scheduler::at(SessionId id) const {
  ensure(is_live(id), "a session is spoken of while it lives");
  return sessions_[id.index];
}

Session& Scheduler::at(SessionId id) { return const_cast<Session&>(std::as_const(*this).at(id)); }

PrincipalIndex Scheduler::principal_index(const std::string& name) {
  const auto [found, is_new] = principal_by_name_.try_emplace(name, static_cast<PrincipalIndex>(principals_.size()));
  if (is_new) principals_.emplace_back();
  return found->second;
}

// L1: refused, never more memory.
std::optional<Refused> Scheduler::refusal_for_newcomer(const Arrival& arrival) const {
  if (by_key_.size() >= settings_.queue_limit) return Refused{Refusal::queue_full, kFullPause};
  const auto known = principal_by_name_.find(arrival.counted_as.empty() ? arrival.principal : arrival.counted_as);
  if (arrival.is_anonymous || known == principal_by_name_.end()) return std::nullopt;
  if (principals_[known->second].sessions < settings_.sessions_per_principal) return std::nullopt;
  return Refused{Refusal::queue_full, kFullPause};
}

SessionIndex Scheduler::make_session(const Arrival& arrival, Instant now) {
  SessionIndex index;
  if (unused_.empty()) {
    index = static_cast<SessionIndex>(sessions_.size());
    sessions_.emplace_back();
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
  session.download_class = arrival.download_class;
  session.has_download_id = arrival.has_download_id;
  session.size = arrival.size;
  session.version = arrival.version;
  session.arrival = now;
  session.stamp = arrival.stamp;
  session.number = next_number_++;
  // O7: a good ticket restores the arrival, unless it is one that restores nothing any more (T2).
  if (arrival.ticket && floors_.may_restore(arrival.key, arrival.ticket->issued)) {
    session.arrival = std::min(arrival.ticket->arrival, now);
    session.stamp = arrival.ticket->stamp;
  }
  principals_[session.counted_as].sessions += 1;
  by_key_.emplace(session.key, index);
  session.coverage.asked(arrival.wanted, arrival.is_tail_read);
  join(index);
  return index;
}

// The one way in which a session ends. Requires that it is neither in line nor seated.
void Scheduler::remove(SessionIndex index) {
  auto& session = sessions_[index];
  by_key_.erase(session.key);
  wheel_.remove(index);
  principals_[session.counted_as].sessions -= 1;
  session.is_live = session.is_marked = false;
  session.generation += 1;
  unused_.push_back(index);
}

void Scheduler::join(SessionIndex index) {
  auto& session = sessions_[index];
  session.state = SessionState::waiting;
  order_.join(index, {session.download_class, session.principal, session.arrival, session.number, wanted(session)});
}

// S8: back after idling, by the old arrival; without it, as one who comes now.
void Scheduler::come_back(Session& session, const Arrival& arrival, Instant now) {
  if (!session.has_lost_arrival) return;
  session.has_lost_arrival = false;
  session.arrival = now;
  session.stamp = arrival.stamp;
  session.number = next_number_++;
}

// The object or the wish may be another than at the last question.
void Scheduler::update(SessionIndex index, const Arrival& arrival) {
  auto& session = sessions_[index];
  if (session.size != arrival.size || session.version != arrival.version) {
    session.size = arrival.size;
    session.version = arrival.version;
    session.coverage = Coverage{};
  }
  session.coverage.asked(arrival.wanted, arrival.is_tail_read);
  if (session.state != SessionState::waiting) return;
  if (session.download_class != arrival.download_class) {
    order_.leave(index);
    session.download_class = arrival.download_class;
    join(index);
  } else {
    order_.resize(index, wanted(session));
  }
}

std::uint64_t Scheduler::wanted(const Session& session) {
  return std::min(session.coverage.missing(session.size), kLargestCounted);
}

std::uint64_t Scheduler::rest(const Session& session) { return less(wanted(session), session.sent_by_running); }

std::uint64_t Scheduler::hash(const Session& session) const { return sip_hash(hash_key_, session.key.bytes); }

// --- Requests -------------------------------------------------------------------------------------------------------

bool Scheduler::begins_anew(const SessionKey& key) const {
  const auto known = by_key_.find(key);
  return known == by_key_.end() || sessions_[known->second].has_lost_arrival;
}

std::variant<SessionId, Refused> Scheduler::arrive(const Arrival& arrival, Instant now) {
  count_ends(now);  // ends come first in an instant (Exactly 1)
  const auto known = by_key_.find(arrival.key);
  SessionIndex index;
  if (known == by_key_.end()) {
    if (auto refused = refusal_for_newcomer(arrival)) return *refused;
    index = make_session(arrival, now);
  } else {
    index = known->second;
    auto& session = sessions_[index];
    if (session.state == SessionState::waiting && session.has_download_id && !session.questions.ask(now))
      return Refused{Refusal::too_many_questions, session.questions.until_next(now)};
    update(index, arrival);
    if (session.state == SessionState::parked) {
      come_back(session, arrival, now);
      join(index);
    }
  }
  sessions_[index].present += 1;
  file(index);
  return id_of(index);
}

std::optional<Seat> Scheduler::take(SessionId id, const ByteRange& range) {
  auto& session = at(id);
  if (session.state != SessionState::active || session.running >= settings_.ranges_per_session) return std::nullopt;
  session.running += 1;
  session.present -= 1;
  file(id.index);
  return Seat(*this, id, range, session.version, session.grant_number);
}

Notice Scheduler::tell(SessionId id, Instant now) {
  auto& session = at(id);
  ensure(session.state == SessionState::waiting, "only who waits is told to");
  Notice notice;
  if (session.was_told) {
    notice.position = position(id);
    notice.start = estimate(id);
    notice.check_in = time_to_check(notice.start, *notice.position == 1, !session.has_download_id, hash(session));
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
  order_.leave(id.index);
  remove(id.index);
}

bool Scheduler::cancel(const SessionKey& key, Instant now) {
  count_ends(now);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  const auto index = found->second;
  if (sessions_[index].state == SessionState::waiting) order_.leave(index);
  if (sessions_[index].state == SessionState::active) leave_seat(index);
  floors_.raise(key, sessions_[index].last_issued, now);
  remove(index);
  return true;
}

void Scheduler::issued(SessionId id, std::int64_t stamp) {
  auto& session = at(id);
  session.last_issued = std::max(session.last_issued, stamp);
}

// --- Seats ----------------------------------------------------------------------------------------------------------

std::size_t Scheduler::free_seats() const { return static_cast<std::size_t>(less(settings_.seats(), active_.size())); }

void Scheduler::settle(Instant now, std::vector<SessionId>& granted) {
  count_ends(now);
  give_seats(now, granted);
}

void Scheduler::count_ends(Instant now) {
  for (const auto& end : std::exchange(ended_, {})) count_end(end, now);
}

void Scheduler::delivered(SessionId id, std::uint64_t bytes) {
  rate_window_.delivered(bytes);
  if (!is_live(id)) return;
  auto& session = sessions_[id.index];
  session.sent_by_running += bytes;
  session.delivered_since_grant += bytes;
  session.delivered_since_idle += bytes;
}

void Scheduler::count_end(const Ended& end, Instant now) {
  if (!is_live(end.session)) return;  // cancelled meanwhile
  auto& session = sessions_[end.session.index];
  session.running -= 1;
  session.sent_by_running = less(session.sent_by_running, end.sent);
  if (end.is_complete && end.version == session.version) session.coverage.sent(end.range);
  end_request(end.session.index, now);
}

// A request has gone, answered or not. With the last one of a session that has had everything goes its seat (S7).
void Scheduler::end_request(SessionIndex index, Instant now) {
  auto& session = sessions_[index];
  const bool is_quiet = session.running == 0 && session.present == 0;
  if (session.state != SessionState::active || !is_quiet) return file(index);
  session.idle_since = now;
  if (!session.coverage.is_complete(session.size)) return file(index);
  leave_seat(index);
  floors_.raise(session.key, session.last_issued, now);
  remove(index);
}

// Out of the seat, by whatever path (S10); what was not delivered is given back to the class, and what was delivered
// beyond the grant is charged to it: a session may ask for more than it did at first.
void Scheduler::leave_seat(SessionIndex index) {
  const auto& session = sessions_[index];
  active_.erase(std::find(active_.begin(), active_.end(), index));
  order_.charge(session.download_class,
                std::min(less(session.delivered_since_grant, session.granted_bytes), kLargestCounted));
  order_.give_back(session.download_class, less(session.granted_bytes, session.delivered_since_grant));
}

void Scheduler::give_seats(Instant now, std::vector<SessionId>& granted) {
  if (is_in_grace(now)) return;
  while (const auto index = next_to_seat()) {
    grant(*index, now);
    granted.push_back(id_of(*index));
  }
}

// S12, Exactly 4: of those present, the first in line that is marked or has fewer ahead of it than seats are free.
std::optional<SessionIndex> Scheduler::next_to_seat() const {
  const auto free = free_seats();
  if (free == 0) return std::nullopt;
  std::size_t ahead = 0;
  for (auto walk = order_.walk(); !walk.has_ended() && ahead < free; walk.next(), ++ahead)
    if (sessions_[walk.session()].present > 0) return walk.session();
  std::optional<SessionIndex> first;
  std::size_t least = 0;
  for (const auto index : marked_) {
    if (!sessions_[index].is_marked || sessions_[index].present == 0) continue;
    const auto its = order_.ahead_of(index).sessions;
    if (first && its >= least) continue;
    first = index;
    least = its;
  }
  return first;
}

void Scheduler::grant(SessionIndex index, Instant now) {
  auto& session = sessions_[index];
  session.granted_bytes = wanted(session);
  order_.resize(index, session.granted_bytes);
  order_.grant(index);
  session.state = SessionState::active;
  session.is_marked = false;
  session.idle_since = now;
  session.grant_number = next_grant_++;
  session.delivered_since_grant = 0;
  active_.push_back(index);
  file(index);
}

}  // namespace arkvory::server
