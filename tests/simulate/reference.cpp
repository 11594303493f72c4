// SPDX-License-Identifier: Apache-2.0
// The order of things in one instant (Exactly 1), and time between two of them.
#include "tests/simulate/reference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server-stub/scheduler/windows.h"
#include "tests/simulate/reference_world.h"

namespace arkvory::server::reference {
namespace {

constexpr Time kTick = 500'000'000;
constexpr Time kSecond = 1'000'000'000;

Time ns(Duration duration) { return static_cast<Time>(duration.count()); }

}  // namespace

std::vector<SimulatedEvent> simulate(const Scenario& scenario, const CheckIn& check_in, Options options) {
  return World(scenario, check_in, options).run();
}

World::World(const Scenario& scenario, CheckIn check_in, Options options)
    : scenario_(scenario),
      settings_(scenario.settings),
      check_in_(std::move(check_in)),
      options_(options),
      order_(scenario.settings),
      sessions_(scenario.clients.size()) {
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    auto& session = sessions_[who];
    session.next_visit = ns(client(who).arrive + scenario_.network);
    if (const auto* listed = std::get_if<ListedMode>(&client(who).mode))
      for (const auto time : listed->times) session.visits.push_back(ns(time + scenario_.network));
    if (client(who).leave) session.leaves = ns(*client(who).leave + scenario_.network);
    if (client(who).cancel) session.cancels = ns(*client(who).cancel + scenario_.network);
  }
  for (std::size_t i = 0; i < inside_.size(); ++i)
    inside_[i] = !settings_.windows || settings_.windows->is_open(static_cast<DownloadClass>(i), scenario_.start);
}

std::vector<SimulatedEvent> World::run() {
  while (const auto next = next_instant()) {
    if (scenario_.until && *next > ns(*scenario_.until)) break;
    pass_time(*next);
    instant();
  }
  return events_;
}

void World::instant() {
  const auto is_now_tick = is_tick();
  const auto events_before = events_.size();
  asked_.clear();
  change_windows();
  end_transfers();
  end_clients();
  if (is_now_tick && !is_shared()) tick();
  come_and_ask();
  give_seats();
  yield_at_borders();
  if (is_now_tick) {
    next_tick_ += kTick;
    const auto is_taken_by_none = free_seats() > 0 && !line_for_seats(active()).empty();
    free_ticks_ = is_taken_by_none ? free_ticks_ + 1 : 0;
  }
  answer();
  for (auto& session : sessions_) session.is_here = session.is_refused = false;
  set_rates();
  if (options_.on_line && !is_shared() && events_.size() > events_before) show_line();
}

void World::show_line() const {
  std::vector<SimulatedPlace> places;
  std::uint64_t bytes = 0;
  for (const auto who : order_.line()) {
    places.push_back({who, places.size(), bytes});
    bytes += rest(who);
  }
  std::sort(places.begin(), places.end(),
            [](const auto& left, const auto& right) { return left.client < right.client; });
  options_.on_line(to_duration(now_), places);
}

// The earliest of all that is to come; where something comes within a nanosecond of it, that something's round time.
std::optional<Time> World::next_instant() const {
  std::vector<Time> round;
  std::vector<Time> fluid;
  bool is_over = true;
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    const auto& session = sessions_[who];
    const auto is_live = session.state == Session::State::waiting || session.state == Session::State::active;
    if (session.state == Session::State::over) continue;
    if (session.next_visit) round.push_back(*session.next_visit);
    if (is_live || session.next_visit) is_over = false;
    if (session.leaves && !session.is_gone) round.push_back(*session.leaves);
    if (session.cancels && !session.is_gone) round.push_back(*session.cancels);
    if (session.state != Session::State::active || session.seat.rate <= 0) continue;
    const auto size = static_cast<long double>(client(who).size);
    const auto range = static_cast<long double>(client(who).range);
    const auto border = std::min(size, (std::floor(session.sent / range) + 1) * range);
    const auto is_border_of_note = session.seat.claim || session.seat.slow_minutes >= 2;
    for (const auto at : {size, is_border_of_note ? border : size})
      fluid.push_back(now_ + (at - session.sent) / session.seat.rate * kSecond);
  }
  if (is_over) return std::nullopt;
  if (!is_shared()) round.push_back(next_tick_);
  if (settings_.windows && !is_shared()) {
    const auto wall = scenario_.start + to_duration(now_);
    for (std::size_t i = 0; i < inside_.size(); ++i)
      if (const auto next = settings_.windows->next_change(static_cast<DownloadClass>(i), wall))
        round.push_back(ns(*next - scenario_.start));
  }
  if (round.empty() && fluid.empty()) return std::nullopt;
  auto next = fluid.empty() ? round.front() : fluid.front();
  for (const auto& times : {round, fluid})
    for (const auto time : times) next = std::min(next, time);
  for (const auto time : round)
    if (time > next && time <= next + 1) next = time;
  return next;
}

void World::pass_time(Time until) {
  const auto passed = std::max<Time>(until - now_, 0);
  now_ = std::max(now_, until);
  for (std::size_t i = 0; i < closed_for_.size(); ++i)
    if (!is_open(static_cast<DownloadClass>(i))) closed_for_[i] += passed;
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    auto& session = sessions_[who];
    auto& seat = session.seat;
    const auto at = std::fmod(session.sent, static_cast<long double>(client(who).range));
    seat.is_at_border = at == 0;
    if (session.state != Session::State::active || seat.rate <= 0 || passed <= 0) continue;
    const auto size = static_cast<long double>(client(who).size);
    const auto range = static_cast<long double>(client(who).range);
    session.sent += seat.rate * passed / kSecond;
    const auto within = seat.rate / kSecond + 1e-6L;  // what flows in a nanosecond
    if (session.sent >= size - within) {
      session.sent = size;
      seat.is_at_border = false;
    } else if (const auto border = std::round(session.sent / range) * range;
               std::abs(session.sent - border) <= within) {
      session.sent = border;
      seat.is_at_border = true;
    } else {
      seat.is_at_border = false;
    }
    if (seat.is_bound_by_client) seat.counted += passed;
  }
}

void World::change_windows() {
  if (!settings_.windows || is_shared()) return;
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    const auto of = static_cast<DownloadClass>(i);
    const auto was_open = is_open(of);
    inside_[i] = settings_.windows->is_open(of, scenario_.start + to_duration(now_));
    if (!was_open && is_open(of)) order_.reopen(of);
    if (!was_open || is_open(of)) continue;
    for (const auto who : by_arrival(all(Session::State::waiting))) {
      if (own_class(who) != of || !sessions_[who].is_aged) continue;
      sessions_[who].is_aged = false;
      if (!can_rise(of)) {
        order_.age(who, false);
        continue;
      }
      order_.leave(who);
      join(who);
    }
  }
}

void World::end_transfers() {
  for (const auto who : active()) {
    if (sessions_[who].sent < static_cast<long double>(client(who).size)) continue;
    emit(SimulatedEventKind::finish, who);
    end_seat(who);
    sessions_[who].state = Session::State::over;
  }
}

void World::end_clients() {
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    auto& session = sessions_[who];
    if (!session.cancels || !has_come(*session.cancels) || session.is_gone || session.state == Session::State::over)
      continue;
    const auto state = session.state;
    if (state == Session::State::waiting || state == Session::State::active) emit(SimulatedEventKind::cancel, who);
    if (state == Session::State::waiting) order_.leave(who);
    if (state == Session::State::active) end_seat(who);
    session.state = Session::State::over;
    drop_claims_of(who);
  }
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    auto& session = sessions_[who];
    if (!session.leaves || !has_come(*session.leaves) || session.is_gone || session.state == Session::State::over)
      continue;
    session.is_gone = true;
    session.next_visit.reset();
    if (session.state == Session::State::active && !is_shared()) {
      session.seat.idle_since = now_;
    } else if (session.state == Session::State::waiting && std::holds_alternative<PresentMode>(client(who).mode)) {
      emit(SimulatedEventKind::no_show, who);
      order_.leave(who);
      session.state = Session::State::over;
      drop_claims_of(who);
    } else if (session.state != Session::State::waiting) {
      session.state = Session::State::over;
    }
  }
}

void World::come_and_ask() {
  for (std::size_t who = 0; who < sessions_.size(); ++who) {
    auto& session = sessions_[who];
    if (!session.next_visit || !has_come(*session.next_visit) || session.state == Session::State::over) continue;
    session.next_visit.reset();
    while (!session.visits.empty() && has_come(session.visits.front())) session.visits.erase(session.visits.begin());
    if (session.state == Session::State::active) continue;
    session.is_here = true;
    if (session.state != Session::State::waiting) arrive(who);
    if (session.is_refused || !std::holds_alternative<PresentMode>(client(who).mode)) asked_.push_back(who);
  }
}

// Exactly 4: one at a time, each decided on the state after the one before.
void World::give_seats() {
  if (is_shared()) {
    for (const auto who : all(Session::State::waiting)) grant(who);
    return;
  }
  for (bool is_given = true; is_given;) {
    is_given = false;
    const auto free = free_seats();
    const auto line = line_for_seats(active());
    for (std::size_t ahead = 0; ahead < line.size() && free > 0; ++ahead) {
      if (!is_present(line[ahead]) || (!sessions_[line[ahead]].is_marked && ahead >= free)) continue;
      grant(line[ahead]);
      is_given = true;
      break;
    }
  }
}

void World::yield_at_borders() {
  Sessions again;
  for (const auto who : active()) {
    auto& session = sessions_[who];
    if (session.state != Session::State::active || session.is_gone || !session.seat.is_at_border) continue;
    if (session.seat.slow_minutes >= 2 && !all(Session::State::waiting).empty()) {
      emit(SimulatedEventKind::seat_lost, who);
      end_seat(who);
      session.state = Session::State::dropped;  // the seat goes to those who wait before it asks again
    } else if (session.seat.claim) {
      const auto head = session.seat.claim->head;
      const auto holds = holds_at_border(who);
      session.seat.claim.reset();
      if (!holds) continue;
      emit(SimulatedEventKind::yield, who);
      end_seat(who);
      arrive_anew(who);
      session.yielded_to = head;
      session.yielded_at = now_;
      ++session.yields;
      if (is_present(head)) {
        grant(head);
      } else {
        sessions_[head].is_marked = true;
      }
    } else {
      continue;
    }
    again.push_back(who);
    give_seats();
  }
  // They ask again, when all that happens at the borders is known.
  for (const auto who : again) {
    auto& session = sessions_[who];
    if (session.state == Session::State::dropped) {
      session.number = ++numbers_;
      session.key = {now_, session.number};
      session.state = Session::State::waiting;
      join(who);
    }
    if (!session.is_gone && !std::holds_alternative<PresentMode>(client(who).mode)) asked_.push_back(who);
    session.is_here = !session.is_gone;
  }
  if (!again.empty()) give_seats();
}

void World::answer() {
  for (const auto who : asked_) {
    auto& session = sessions_[who];
    SimulatedAnswer answer;
    if (session.is_refused) {
      answer.check_in = std::chrono::seconds(30);
    } else if (session.state == Session::State::waiting) {
      if (!session.is_newcomer) {
        const auto line = order_.line();
        answer.position = static_cast<std::size_t>(std::find(line.begin(), line.end(), who) - line.begin()) + 1;
        Sessions before;
        if (options_.has_estimates) answer.starts_in = estimate(who, before);
        if (answer.starts_in) {
          std::vector<long double> bytes;
          for (const auto one : before)
            bytes.push_back(static_cast<long double>(client(one).size) - sessions_[one].sent);
          std::sort(bytes.rbegin(), bytes.rend());
          long double ahead = 0;
          long double most = 0;
          for (std::size_t i = 0; i < bytes.size(); ++i) {
            ahead += bytes[i];
            if (i + 1 < settings_.seats()) most += bytes[i];
          }
          const auto link = static_cast<Rate>(scenario_.link);
          answer.starts_between = {to_duration((ahead - most) / link * kSecond), to_duration(ahead / link * kSecond)};
        }
      }
      answer.check_in = check_in_(who, session.answers, to_duration(now_));
      session.is_newcomer = false;
      session.answered_at = now_;
      session.no_show_at = now_ + ns(answer.check_in) + 30 * kSecond + ns(answer.check_in / 5);
    } else {
      continue;  // seated
    }
    ++session.answers;
    events_.push_back({to_duration(now_), SimulatedEventKind::answer, who, answer});
    session.next_visit.reset();
    if (session.is_gone) continue;
    // Times that passed while it was seated are no visits.
    while (!session.visits.empty() && has_come(session.visits.front())) session.visits.erase(session.visits.begin());
    if (!std::holds_alternative<ListedMode>(client(who).mode)) {
      session.next_visit = now_ + ns(answer.check_in) + 2 * ns(scenario_.network);
    } else if (!session.visits.empty()) {
      session.next_visit = session.visits.front();
    }
  }
}

// E1: everyone in line is present and nothing else happens.
std::optional<Duration> World::estimate(std::size_t who, Sessions& before) const {
  auto world = *this;
  world.is_replay_ = true;
  world.options_.on_line = {};
  world.events_.clear();
  world.asked_.clear();
  before = active();
  for (std::size_t other = 0; other < sessions_.size(); ++other) {
    auto& session = world.sessions_[other];
    session.next_visit.reset();
    session.leaves.reset();
    session.cancels.reset();
    session.no_show_at.reset();
    session.seat.idle_since.reset();
    // Who left fetches the range that was broken off once more (S5).
    if (std::exchange(session.is_gone, false)) session.sent = whole_ranges(other);
  }
  world.give_seats();
  world.set_rates();
  const auto is_seated = [&] { return world.sessions_[who].state == Session::State::active; };
  for (int i = 0; !is_seated(); ++i) {
    const auto next = world.next_instant();
    if (!next || i > 1'000'000) return std::nullopt;
    world.pass_time(*next);
    world.instant();
  }
  for (const auto& event : world.events_) {
    if (event.kind != SimulatedEventKind::grant) continue;
    if (event.client == who) break;
    if (std::find(before.begin(), before.end(), event.client) == before.end()) before.push_back(event.client);
  }
  return to_duration(world.now_ - now_);
}

Duration World::to_duration(Time time) const { return Duration(std::llround(time)); }

}  // namespace arkvory::server::reference
