// SPDX-License-Identifier: Apache-2.0
// Steps of sessions, and the questions asked about them.
#include "tests/simulate/reference_world.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server-stub/scheduler/windows.h"

namespace arkvory::server::reference {
namespace {

constexpr Time kSecond = 1'000'000'000;
constexpr Rate kAny = std::numeric_limits<Rate>::infinity();

}  // namespace

void World::emit(SimulatedEventKind kind, std::size_t who) { events_.push_back({to_duration(now_), kind, who, {}}); }

void World::arrive(std::size_t who) {
  auto& session = sessions_[who];
  // S11; only protocol clients have tickets.
  const auto is_back =
      session.state == Session::State::dropped && client(who).has_id && now_ <= session.answered_at + 15 * 60 * kSecond;
  const auto is_anew = !session.has_come || (session.state == Session::State::dropped && !is_back);
  if (is_anew) emit(SimulatedEventKind::arrive, who);
  session.has_come = true;
  if (is_anew) session.state = Session::State::to_come;
  session.is_refused = !is_shared() && has_no_room_for(who);
  if (session.is_refused) return;
  session.state = Session::State::waiting;
  session.number = ++numbers_;
  session.is_marked = false;
  session.is_aged = false;
  if (!is_back) {
    session.is_newcomer = true;
    session.arrival = now_;
    session.closed_at_arrival = closed_for_[static_cast<std::size_t>(own_class(who))];
  }
  session.key = {session.arrival, session.number};
  if (!is_shared()) join(who);
}

// L1.
bool World::has_no_room_for(std::size_t who) const {
  std::uint64_t sessions = 0;
  std::uint64_t of_principal = 0;
  for (std::size_t other = 0; other < sessions_.size(); ++other) {
    const auto state = sessions_[other].state;
    const auto is_kept = sessions_[other].kept_until && now_ < *sessions_[other].kept_until - 1;  // S8
    if (state != Session::State::waiting && state != Session::State::active && !is_kept) continue;
    ++sessions;
    if (client(other).principal == client(who).principal) ++of_principal;
  }
  return sessions >= settings_.queue_limit ||
         (of_principal >= settings_.sessions_per_principal && client(who).principal != "anonymous");
}

// After a yield.
void World::arrive_anew(std::size_t who) {
  auto& session = sessions_[who];
  session.state = Session::State::waiting;
  session.number = ++numbers_;
  session.arrival = now_;
  session.closed_at_arrival = closed_for_[static_cast<std::size_t>(own_class(who))];
  session.key = {now_, session.number};
  session.is_marked = false;
  session.is_aged = false;
  session.is_newcomer = false;
  join(who);
}

void World::join(std::size_t who) {
  const auto& session = sessions_[who];
  Waiting waiting;
  waiting.session = who;
  waiting.in = waits_in(who);
  waiting.principal = "of " + client(who).principal;
  waiting.key = session.key;
  if (session.is_aged && can_rise(own_class(who))) {
    // The aged ones of a class are one principal, by their original arrival.
    waiting.principal = "aged";
    waiting.key = {session.arrival, session.number};
    if (session.key.first > session.arrival) waiting.key = session.key;
  }
  waiting.object_size = client(who).size;
  waiting.bytes = rest(who);
  waiting.is_aged = session.is_aged;
  order_.join(waiting);
}

void World::grant(std::size_t who) {
  auto& session = sessions_[who];
  emit(SimulatedEventKind::grant, who);
  Seat seat;
  seat.granted_at = now_;
  seat.number = ++grants_;
  seat.in = waits_in(who);
  seat.bytes = rest(who);
  if (!is_shared() && !inside_[static_cast<std::size_t>(own_class(who))])
    seat.group = static_cast<std::size_t>(own_class(who));
  session.seat = seat;
  session.state = Session::State::active;
  session.is_marked = false;
  session.is_newcomer = false;
  session.no_show_at.reset();
  session.yielded_to.reset();
  session.next_visit.reset();
  if (!is_shared()) order_.grant(who);
  drop_claims_of(who);
}

void World::end_seat(std::size_t who) {
  auto& session = sessions_[who];
  if (!is_shared()) order_.give_back(session.seat.in, rest(who));
  session.seat = Seat{};
}

// The head waits no more: its claims are void, and those that yielded to it may take a seat again.
void World::drop_claims_of(std::size_t head) {
  for (auto& session : sessions_) {
    if (session.seat.claim && session.seat.claim->head == head) session.seat.claim.reset();
    if (session.yielded_to == head) session.yielded_to.reset();
  }
}

void World::set_rates() {
  const auto seated = active();
  const auto rates = rates_if({});
  for (std::size_t i = 0; i < seated.size(); ++i) {
    auto& seat = sessions_[seated[i]].seat;
    seat.rate = rates[i];
    const auto own = client(seated[i]).rate;
    seat.is_bound_by_client =
        own && !seat.idle_since && !is_shared() && rates_if(seated[i])[i] > static_cast<Rate>(*own) * (1 + 1e-12L);
  }
}

// What each seat gets now; with one client's own limit taken away.
std::vector<Rate> World::rates_if(std::optional<std::size_t> unbound) const {
  std::vector<Flow> flows;
  const auto link = static_cast<Rate>(scenario_.link);
  std::vector<Rate> caps;
  std::array<bool, kDownloadClassNames.size()> is_capped{};
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    const auto ppm = settings_.windows ? settings_.windows->outside_share_ppm(static_cast<DownloadClass>(i)) : 0;
    caps.push_back(link * static_cast<Rate>(ppm) / 1'000'000);
    for (const auto state : {Session::State::waiting, Session::State::active})
      for (const auto other : all(state))
        if (!inside_[i] && own_class(other) != static_cast<DownloadClass>(i)) is_capped[i] = true;
  }
  for (const auto who : active()) {
    const auto& session = sessions_[who];
    Flow flow;
    flow.limit = client(who).rate && who != unbound ? static_cast<Rate>(*client(who).rate) : kAny;
    if (session.is_gone) flow.limit = 0;
    if (session.seat.group && is_capped[*session.seat.group]) flow.group = session.seat.group;
    flows.push_back(flow);
  }
  if (is_shared()) return share_equally(link, caps, flows);
  return share(link, caps, settings_.bandwidth_order, static_cast<Rate>(settings_.bandwidth_floor), flows);
}

bool World::can_rise(DownloadClass own) const { return own == DownloadClass::bulk || own == DownloadClass::background; }

DownloadClass World::waits_in(std::size_t who) const {
  const auto own = own_class(who);
  return sessions_[who].is_aged && can_rise(own) ? static_cast<DownloadClass>(static_cast<std::size_t>(own) - 1) : own;
}

bool World::is_inside(DownloadClass of) const { return inside_[static_cast<std::size_t>(of)]; }

bool World::is_open(DownloadClass of) const {
  return is_inside(of) || (settings_.windows && settings_.windows->outside_share_ppm(of) > 0);
}

bool World::is_present(std::size_t who) const {
  const auto& session = sessions_[who];
  if (session.state != Session::State::waiting) return false;
  return is_replay_ || session.is_here || std::holds_alternative<PresentMode>(client(who).mode);
}

std::uint64_t World::rest(std::size_t who) const {
  return client(who).size - static_cast<std::uint64_t>(std::floor(sessions_[who].sent + 1e-3L));
}

long double World::whole_ranges(std::size_t who) const {
  const auto range = static_cast<long double>(client(who).range);
  return std::floor(sessions_[who].sent / range) * range;
}

World::Sessions World::all(Session::State state) const {
  Sessions found;
  for (std::size_t who = 0; who < sessions_.size(); ++who)
    if (sessions_[who].state == state) found.push_back(who);
  return found;
}

World::Sessions World::active() const {
  auto seated = all(Session::State::active);
  std::sort(seated.begin(), seated.end(),
            [this](auto left, auto right) { return sessions_[left].seat.number < sessions_[right].seat.number; });
  return seated;
}

World::Sessions World::by_arrival(Sessions sessions) const {
  const auto key = [this](std::size_t who) { return FifoKey{sessions_[who].arrival, sessions_[who].number}; };
  std::sort(sessions.begin(), sessions.end(), [&](auto left, auto right) { return key(left) < key(right); });
  return sessions;
}

std::uint64_t World::free_seats() const {
  const auto taken = active().size();
  return settings_.seats() > taken ? settings_.seats() - taken : 0;
}

// O9: behind the head that it yielded to.
bool World::is_blocked(std::size_t who) const {
  const auto& session = sessions_[who];
  if (!session.yielded_to) return false;
  if (is_present(*session.yielded_to)) return true;
  // Over at the first tick at which the five seconds are reached (Exactly 7).
  const auto over = std::ceil((session.yielded_at + 5 * kSecond - 1) / 500'000'000) * 500'000'000;
  return !has_come(over);
}

bool World::may_take_seat(std::size_t who, const Sessions& holders) const {
  if (!is_open(own_class(who)) || is_blocked(who)) return false;
  std::uint64_t others = 0;
  std::uint64_t without_id = 0;
  for (const auto holder : holders) {
    if (own_class(holder) != DownloadClass::interactive) ++others;
    if (!client(holder).has_id) ++without_id;
  }
  // O5.
  if (own_class(who) != DownloadClass::interactive && others >= settings_.seats() - settings_.reserved_seats())
    return false;
  // S13.
  const auto waiting = all(Session::State::waiting);
  const auto does_one_with_id_wait =
      std::any_of(waiting.begin(), waiting.end(), [this](auto other) { return client(other).has_id; });
  return client(who).has_id || without_id < (settings_.seats() + 1) / 2 || !does_one_with_id_wait;
}

std::uint64_t World::seats_of_principal(std::size_t who, const Sessions& holders) const {
  return static_cast<std::uint64_t>(std::count_if(
      holders.begin(), holders.end(), [&](auto holder) { return client(holder).principal == client(who).principal; }));
}

bool World::is_below_share(std::size_t who, const Sessions& holders) const {
  return seats_of_principal(who, holders) < settings_.per_principal;
}

bool World::is_above_share(std::size_t who, const Sessions& holders) const {
  return settings_.per_principal > 0 && seats_of_principal(who, holders) > settings_.per_principal;
}

// Exactly 4: first, in order, those whose principal is below its share, then the others.
World::Sessions World::line_for_seats(const Sessions& holders) const {
  Sessions line;
  for (const auto who : order_.line())
    if (may_take_seat(who, holders)) line.push_back(who);
  if (settings_.per_principal > 0)
    std::stable_partition(line.begin(), line.end(), [&](auto who) { return is_below_share(who, holders); });
  return line;
}

}  // namespace arkvory::server::reference
