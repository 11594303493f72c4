// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/queue_desk.h"

#include <algorithm>
#include <utility>

#include "core/protocol/header_names.h"
#include "server-stub/http/waiting_answer.h"

namespace arkvory::server {
namespace {

constexpr std::size_t kHoldShare = 4;                             // L1: a principal may have a quarter of the holds
constexpr Duration kLongestHoldPause = std::chrono::seconds(30);  // E3: those without an id give up on more
constexpr std::size_t kSmallPerPrincipal = 8;                     // S2
constexpr Duration kRangePause = std::chrono::seconds(1);         // `too_many_ranges`
constexpr int kCensusShare = 100;                                 // counting costs a hundredth of the time at most

// S6: a suffix, or a closed range up to the last byte. All of the object is no tail, however it was asked for.
bool is_tail_read(const ObjectRequest& asked, const Answer& answer, std::uint64_t size) {
  if (answer.status != 206 || answer.file->begin == 0) return false;
  const auto* range = std::get_if<SingleRange>(&asked.range);
  if (range == nullptr || std::holds_alternative<OpenRange>(*range)) return false;
  return answer.file->end == size;
}

Arrival arrival_of(const ObjectRequest& asked, const Answer& answer, const SessionKey& key) {
  const auto& identity = answer.file->file->identity();
  Arrival arrival;
  arrival.key = key;
  arrival.principal = asked.principal->name;
  arrival.counted_as = asked.principal->counted_as();
  arrival.is_anonymous = asked.principal->is_anonymous();
  arrival.has_download_id = asked.id.has_value();
  arrival.download_class = asked.download_class;
  arrival.size = identity.size;
  arrival.version = FileIdentityHash()(identity);
  arrival.wanted = ByteRange(answer.file->begin, answer.file->end);
  arrival.is_tail_read = is_tail_read(asked, answer, identity.size);
  return arrival;
}

Answer rate_limited(Duration retry_after) {
  auto answer = refusal(429, "rate_limited", "more than one question a second for one download; its place is kept");
  add_retry_after(answer, retry_after);
  return answer;
}

}  // namespace

SessionKey key_of(const ObjectRequest& asked, const std::string& address) {
  const auto object = canonical_text(asked.object);
  return asked.id ? session_key(asked.principal->name, object, *asked.id)
                  : session_key_for_address(asked.principal->name, object, address);
}

QueueDesk::QueueDesk(const SchedulerSettings& settings, const Clock& clock, const SipKey& hash_key,
                     std::optional<Instant> grants_from)
    : settings_(settings),
      clock_(clock),
      scheduler_(settings, hash_key, clock.now(), grants_from, clock.wall_now()),
      small_({settings.max_downloads, settings.transfer_queue_limit, kSmallPerPrincipal}) {}

std::variant<Admitted, QueueDesk::HoldId> QueueDesk::admit(const ObjectRequest& asked, const SessionKey& key,
                                                           Answer answer, Resume resume) {
  // S2; O1 `shared`: everything.
  if (settings_.strategy == Strategy::shared || answer.file->file->identity().size <= settings_.session_min_bytes)
    return admit_small(asked, std::move(answer), std::move(resume));
  return admit_session(asked, key, std::move(answer), std::move(resume));
}

// --- Small objects: per request (S2) --------------------------------------------------------------------------------

std::variant<Admitted, QueueDesk::HoldId> QueueDesk::admit_small(const ObjectRequest& asked, Answer answer,
                                                                 Resume resume) {
  if (auto slot = small_.enter()) return Admitted{std::move(answer), Permit(std::move(*slot))};
  const auto place = small_.wait(asked.principal->counted_as(), !asked.principal->is_anonymous());
  if (!place)
    return Admitted{
        turn_away(TurnedAway::per_request,
                  busy("per_request", "as many answers as may be are running or waited for", small_.retry_after()))};
  return hold({SmallHold{*place}, std::move(answer), std::move(resume), clock_.now() + settings_.hold,
               asked.principal->counted_as()});
}

// --- Sessions -------------------------------------------------------------------------------------------------------

std::variant<Admitted, QueueDesk::HoldId> QueueDesk::admit_session(const ObjectRequest& asked, const SessionKey& key,
                                                                   Answer answer, Resume resume) {
  const auto now = clock_.now();
  auto arrival = arrival_of(asked, answer, key);
  if (scheduler_.begins_anew(key)) arrival.stamp = tickets_.stamp(clock_.wall_now());
  if (asked.id && asked.has_broken_ticket) tickets_.refuse_malformed();
  if (asked.id && asked.ticket) arrival.ticket = tickets_.take(*asked.ticket, key, now, clock_.wall_now());
  const auto came = scheduler_.arrive(arrival, now);
  if (const auto* refused = std::get_if<Refused>(&came)) {
    if (refused->reason == Refusal::too_many_questions)
      return Admitted{turn_away(TurnedAway::rate_limited, rate_limited(refused->retry_after))};
    return Admitted{turn_away(TurnedAway::queue_full, busy("queue_full", "the queue is full", refused->retry_after))};
  }
  const auto session = std::get<SessionId>(came);
  settle();
  if (auto admitted = let_in(session, asked, key, answer)) return std::move(*admitted);
  if (!asked.id && has_room_for_hold(*asked.principal))
    return hold({SessionHold{session, asked, key}, std::move(answer), std::move(resume), now + settings_.hold,
                 asked.principal->counted_as()});
  return Admitted{tell(session, asked, key)};
}

// The answer with its seat, where the session has one and may run one more answer.
std::optional<Admitted> QueueDesk::let_in(SessionId session, const ObjectRequest& asked, const SessionKey& key,
                                          Answer& answer) {
  auto seat = scheduler_.take(session, ByteRange(answer.file->begin, answer.file->end));
  if (!seat) return std::nullopt;
  answer.headers.set(std::string(header::kDownloadClass), std::string(to_string(scheduler_.download_class(session))));
  if (const auto ticket = issue(session, asked, key))
    answer.headers.add(std::string(header::kQueueTicket), ticket->text());
  return Admitted{std::move(answer), Permit(std::move(*seat))};
}

Answer QueueDesk::turn_away(TurnedAway why, Answer answer) {
  turned_away_[static_cast<std::size_t>(why)] += 1;
  return answer;
}

Answer QueueDesk::tell(SessionId session, const ObjectRequest& asked, const SessionKey& key) {
  if (scheduler_.state(session) == SessionState::active) {
    scheduler_.dismiss(session, clock_.now());
    return turn_away(TurnedAway::too_many_ranges,
                     busy("too_many_ranges", "as many answers of this download run as may for now", kRangePause));
  }
  const auto ticket = issue(session, asked, key);
  const auto notice = scheduler_.tell(session, clock_.now());
  return waiting_answer(notice, scheduler_.download_class(session), ticket, clock_.wall_now());
}

std::optional<Ticket> QueueDesk::issue(SessionId session, const ObjectRequest& asked, const SessionKey& key) {
  if (!asked.id) return std::nullopt;
  auto issued = tickets_.issue(key, scheduler_.stamp(session), clock_.wall_now());
  if (!issued) return std::nullopt;
  scheduler_.issued(session, issued->stamp);
  return std::move(issued->ticket);
}

Answer QueueDesk::cancel(const ObjectRequest& asked) {
  const bool was_there = scheduler_.cancel(key_of(asked, {}), clock_.now());
  settle();
  if (!was_there) return refusal(404, "not_found", "there is no such download here");
  Answer answer;
  answer.status = 204;
  answer.is_body_sent = false;
  return answer;
}

// --- Holding --------------------------------------------------------------------------------------------------------

bool QueueDesk::has_room_for_hold(const Principal& principal) const {
  if (holds_.size() >= settings_.transfer_queue_limit) return false;
  if (principal.is_anonymous()) return true;
  const auto own = std::count_if(holds_.begin(), holds_.end(),
                                 [&](const auto& one) { return one.second.principal == principal.counted_as(); });
  return static_cast<std::size_t>(own) < std::max<std::size_t>(settings_.transfer_queue_limit / kHoldShare, 1);
}

QueueDesk::HoldId QueueDesk::hold(Hold hold) {
  const auto id = next_hold_++;
  holds_.emplace(id, std::move(hold));
  return id;
}

void QueueDesk::drop(HoldId id) {
  const auto found = holds_.find(id);
  if (found == holds_.end()) return;
  if (const auto* small = std::get_if<SmallHold>(&found->second.what)) small_.leave(small->place);
  const auto* session = std::get_if<SessionHold>(&found->second.what);
  if (session != nullptr && scheduler_.is_live(session->session)) scheduler_.vanish(session->session, clock_.now());
  holds_.erase(found);
  settle();
}

void QueueDesk::end_hold(HoldId id, Admitted outcome) {
  const auto found = holds_.find(id);
  const auto resume = std::move(found->second.resume);
  holds_.erase(found);
  resume(std::move(outcome));
}

void QueueDesk::settle() {
  std::vector<Change> changes;
  scheduler_.settle(clock_.now(), changes);
  resume_served();
}

// Lets in whoever is held and may be sent to now.
void QueueDesk::resume_served() {
  std::vector<HoldId> ids;
  for (const auto& [id, hold] : holds_)
    if (std::holds_alternative<SessionHold>(hold.what)) ids.push_back(id);
  for (const auto id : ids) {
    const auto found = holds_.find(id);
    if (found == holds_.end()) continue;
    auto& what = std::get<SessionHold>(found->second.what);
    if (!scheduler_.is_live(what.session)) continue;
    if (auto admitted = let_in(what.session, what.asked, what.key, found->second.answer))
      end_hold(id, std::move(*admitted));
  }
  while (auto next = small_.next()) {
    const auto place = next->first;
    const auto found = std::find_if(holds_.begin(), holds_.end(), [place](const auto& one) {
      const auto* small = std::get_if<SmallHold>(&one.second.what);
      return small != nullptr && small->place == place;
    });
    end_hold(found->first, {std::move(found->second.answer), Permit(std::move(next->second))});
  }
}

void QueueDesk::end_expired(Instant now) {
  std::vector<HoldId> expired;
  for (const auto& [id, hold] : holds_)
    if (hold.until <= now) expired.push_back(id);
  for (const auto id : expired) {
    const auto found = holds_.find(id);
    if (const auto* small = std::get_if<SmallHold>(&found->second.what)) {
      small_.leave(small->place);
      end_hold(id, {turn_away(TurnedAway::per_request,
                              busy("per_request", "as many answers as may be are running", small_.retry_after()))});
      continue;
    }
    const auto what = std::get<SessionHold>(found->second.what);
    if (!scheduler_.is_live(what.session))
      end_hold(id, {busy("download_queued", "the download was ended", kRangePause)});
    else
      end_hold(id, {tell(what.session, what.asked, what.key)});
  }
}

void QueueDesk::tick() {
  const auto now = clock_.now();
  std::vector<Change> changes;
  scheduler_.set_wall(now, clock_.wall_now());
  scheduler_.tick(now, changes);
  scheduler_.settle(now, changes);
  resume_served();
  end_expired(now);
}

void QueueDesk::change(const SchedulerSettings& settings) {
  settings_.strategy = settings.strategy;
  settings_.session_min_bytes = settings.session_min_bytes;
  scheduler_.change(settings, clock_.now());
  if (settings_.strategy == Strategy::shared) hold_per_request();
  settle();
}

std::array<std::optional<std::uint32_t>, kClasses> QueueDesk::outside_shares() {
  std::array<std::optional<std::uint32_t>, kClasses> shares{};
  const auto& gates = scheduler_.gates();
  if (!gates.has_windows()) return shares;
  const auto& counts = census();
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto name = static_cast<DownloadClass>(i);
    bool is_other_there = false;
    for (std::size_t other = 0; other < kClasses; ++other)
      if (other != i && counts[other].active + counts[other].waiting > 0) is_other_there = true;
    const auto share = gates.outside_share_ppm(name);
    // Without a share none begins; who began when there was one is finished.
    if (!gates.is_inside(name) && is_other_there && share > 0) shares[i] = share;
  }
  return shares;
}

const Census& QueueDesk::census() {
  const auto now = clock_.now();
  if (census_ && now < census_good_until_) return *census_;
  census_ = scheduler_.census(now);
  const auto counted = clock_.now();
  census_good_until_ = counted + kCensusShare * (counted - now);
  return *census_;
}

// Else newcomers would be let in before them. Who finds no place goes on waiting for a seat.
void QueueDesk::hold_per_request() {
  for (auto& [id, hold] : holds_) {
    const auto* session = std::get_if<SessionHold>(&hold.what);
    if (session == nullptr) continue;
    const auto place = small_.wait(hold.principal, !session->asked.principal->is_anonymous());
    if (!place) continue;
    if (scheduler_.is_live(session->session)) scheduler_.vanish(session->session, clock_.now());
    hold.what = SmallHold{*place};
  }
}

void QueueDesk::stop(Duration pause) {
  pause = std::min(pause, kLongestHoldPause);
  while (!holds_.empty()) {
    const auto id = holds_.begin()->first;
    const auto& what = holds_.begin()->second.what;
    if (const auto* small = std::get_if<SmallHold>(&what)) small_.leave(small->place);
    const auto* session = std::get_if<SessionHold>(&what);
    if (session != nullptr && scheduler_.is_live(session->session)) scheduler_.dismiss(session->session, clock_.now());
    end_hold(id, {busy("shutting_down", "the server is stopping", pause)});
  }
}

}  // namespace arkvory::server
