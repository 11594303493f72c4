// SPDX-License-Identifier: Apache-2.0
// What happens on ticks only (Exactly 7): ageing, no-shows, idle seats, slow minutes, marks, preemption.
#include <algorithm>

#include "tests/simulate/reference_world.h"

namespace arkvory::server::reference {
namespace {

constexpr Time kSecond = 1'000'000'000;
constexpr std::uint64_t kSlow = 65'536;  // S13: bytes a second

}  // namespace

bool World::is_tick() const { return !is_shared() && has_come(next_tick_); }

void World::tick() {
  age();
  drop_no_shows();
  free_idle_seats();
  count_minutes();
  mark();
  preempt();
}

// O6.
void World::age() {
  const auto aging = static_cast<Time>(settings_.aging.count());
  if (aging <= 0) return;
  Sessions ripe;
  for (const auto who : all(Session::State::waiting)) {
    const auto& session = sessions_[who];
    const auto own = own_class(who);
    // What can't be raised is aged in its own class, where that makes a difference (O1).
    if (session.is_aged || (!can_rise(own) && settings_.strategy != Strategy::smallest_first) || !is_open(own))
      continue;
    const auto closed = closed_for_[static_cast<std::size_t>(own)] - session.closed_at_arrival;
    if (has_come(session.arrival + closed + aging)) ripe.push_back(who);
  }
  for (const auto who : by_arrival(ripe)) {
    sessions_[who].is_aged = true;
    if (!can_rise(own_class(who))) {
      order_.age(who, true);
      continue;
    }
    order_.leave(who);
    join(who);
  }
}

// S11.
void World::drop_no_shows() {
  for (const auto who : all(Session::State::waiting)) {
    auto& session = sessions_[who];
    if (!session.no_show_at || !has_come(*session.no_show_at)) continue;
    emit(SimulatedEventKind::no_show, who);
    order_.leave(who);
    session.no_show_at.reset();
    session.state = session.is_gone || !session.next_visit ? Session::State::over : Session::State::dropped;
    drop_claims_of(who);
  }
}

// S8.
void World::free_idle_seats() {
  for (const auto who : active()) {
    auto& session = sessions_[who];
    if (!session.seat.idle_since || !has_come(*session.seat.idle_since + static_cast<Time>(settings_.idle.count())))
      continue;
    emit(SimulatedEventKind::seat_lost, who);
    end_seat(who);
    session.state = Session::State::over;
    session.kept_until = now_ + 10 * 60 * kSecond;
  }
}

// S13.
void World::count_minutes() {
  for (const auto who : active()) {
    auto& seat = sessions_[who].seat;
    if (seat.counted < 60 * kSecond - 1) continue;
    seat.counted = 0;
    // While it counts, it takes exactly its own rate.
    seat.slow_minutes = *client(who).rate < kSlow ? seat.slow_minutes + 1 : 0;
  }
}

// S12, Exactly 10.
void World::mark() {
  auto holders = active();
  const auto free = free_seats();
  std::uint64_t ending = 0;
  for (const auto who : active()) {
    if (!ends_within_five_seconds(who)) continue;
    ++ending;
    holders.erase(std::find(holders.begin(), holders.end(), who));
  }
  for (auto& session : sessions_) session.is_marked = false;
  const auto line = line_for_seats(holders);
  auto count = 2 * (free + ending);
  for (unsigned i = 0; i < free_ticks_ && count < line.size(); ++i) count *= 2;
  for (std::size_t i = 0; i < line.size() && i < count; ++i) sessions_[line[i]].is_marked = true;
}

bool World::ends_within_five_seconds(std::size_t who) const {
  const auto left = [this](std::size_t one) {
    return static_cast<long double>(client(one).size) -
           (sessions_[one].is_gone ? whole_ranges(one) : sessions_[one].sent);
  };
  const auto seated = active();
  if (settings_.bandwidth_order == BandwidthOrder::equal) {
    const auto index = static_cast<std::size_t>(std::find(seated.begin(), seated.end(), who) - seated.begin());
    return left(who) / rates_if({})[index] * kSecond <= 5 * kSecond + 1;
  }
  long double bytes = 0;
  for (const auto one : seated) {
    bytes += left(one);
    if (one == who) break;
  }
  return bytes / static_cast<Rate>(scenario_.link) * kSecond <= 5 * kSecond + 1;
}

// O9, Exactly 9.
void World::preempt() {
  if (!settings_.preempt || free_seats() > 0) return;
  for (std::size_t i = 0; i < kDownloadClassNames.size(); ++i) {
    for (const auto is_for_share : {false, true}) {
      for (const auto head : order_.line()) {
        if (waits_in(head) != static_cast<DownloadClass>(i) || has_claim(head)) continue;
        const auto victim = victim_for(head, is_for_share);
        if (!victim) continue;
        sessions_[*victim].seat.claim = Claim{head};
        return;
      }
    }
  }
}

World::Sessions World::holders_after_moves(std::optional<std::size_t> without,
                                           std::optional<std::size_t> unclaimed) const {
  Sessions holders;
  for (const auto who : active()) {
    const auto& claim = sessions_[who].seat.claim;
    const auto moves = claim && who != unclaimed;
    if (moves) holders.push_back(claim->head);
    if (!moves && who != without) holders.push_back(who);
  }
  return holders;
}

bool World::has_claim(std::size_t head) const {
  const auto seated = active();
  return std::any_of(seated.begin(), seated.end(),
                     [&](auto who) { return sessions_[who].seat.claim && sessions_[who].seat.claim->head == head; });
}

bool World::may_be_taken(std::size_t victim, std::size_t head, bool is_for_share, const Sessions& holders) const {
  const auto& seat = sessions_[victim].seat;
  if (seat.in > waits_in(head) || is_slow(victim)) return true;
  return is_for_share && seat.in == waits_in(head) && is_above_share(victim, holders);
}

std::optional<std::size_t> World::victim_for(std::size_t head, bool is_for_share) const {
  const auto holders = holders_after_moves({}, {});
  if (is_for_share && (settings_.per_principal == 0 || !is_below_share(head, holders))) return std::nullopt;
  Sessions victims;
  for (const auto who : active()) {
    const auto& session = sessions_[who];
    if (!client(who).has_id || session.yields >= 2 || session.seat.claim) continue;
    if (!has_come(session.seat.granted_at + 60 * kSecond)) continue;
    if (may_be_taken(who, head, is_for_share, holders)) victims.push_back(who);
  }
  // Lowest class, then youngest seat.
  std::sort(victims.begin(), victims.end(), [this](auto left, auto right) {
    const auto& one = sessions_[left].seat;
    const auto& other = sessions_[right].seat;
    return one.in != other.in ? one.in > other.in : one.number > other.number;
  });
  for (const auto who : victims)
    if (may_take_seat(head, holders_after_moves(who, {}))) return who;
  return std::nullopt;
}

bool World::holds_at_border(std::size_t victim) const {
  const auto head = sessions_[victim].seat.claim->head;
  if (sessions_[head].state != Session::State::waiting || free_seats() > 0) return false;
  const auto holders = holders_after_moves({}, victim);
  const auto is_for_share = settings_.per_principal > 0 && is_below_share(head, holders);
  return may_be_taken(victim, head, is_for_share, holders) && may_take_seat(head, holders_after_moves(victim, victim));
}

}  // namespace arkvory::server::reference
