// SPDX-License-Identifier: Apache-2.0
// The state of the second simulator, and what happens in one instant of it (scheduler.md, Exactly).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server-stub/simulate/simulation.h"
#include "tests/simulate/reference.h"
#include "tests/simulate/reference_link.h"
#include "tests/simulate/reference_order.h"

namespace arkvory::server::reference {

struct Claim {
  std::size_t head = 0;  // to whom the seat goes at the border
};

struct Seat {
  Time granted_at = 0;
  std::uint64_t number = 0;                // order of grants
  DownloadClass in = DownloadClass::bulk;  // that in which its session waited
  std::uint64_t bytes = 0;                 // granted
  std::optional<std::size_t> group{};      // began outside the window of its class
  Rate rate = 0;
  bool is_bound_by_client = false;  // it takes all it can, and the link has more for it
  bool is_at_border = false;        // it came to one in this instant
  Time counted = 0;                 // of S13's minute
  int slow_minutes = 0;             // in a row
  std::optional<Claim> claim{};
  std::optional<Time> idle_since{};
};

// A client and its session.
struct Session {
  enum class State { to_come, waiting, active, dropped, over };
  State state = State::to_come;
  // Of the client, as the server sees it.
  std::optional<Time> next_visit{};
  std::vector<Time> visits{};  // listed ones still to come, in order
  std::optional<Time> leaves{};
  std::optional<Time> cancels{};
  bool is_gone = false;
  bool is_here = false;  // asks in this instant
  bool has_come = false;
  bool is_refused = false;  // in this instant, for want of room
  // Of the session.
  Time arrival = 0;
  std::uint64_t number = 0;
  FifoKey key{};               // its order among those of its principal
  Time closed_at_arrival = 0;  // for how long its class had been closed then
  bool is_aged = false;
  bool is_marked = false;
  bool is_newcomer = true;
  int yields = 0;
  long double sent = 0;
  std::size_t answers = 0;
  Time answered_at = 0;
  std::optional<Time> no_show_at{};
  std::optional<Time> kept_until{};  // after its seat was lost by idling
  std::optional<std::size_t> yielded_to{};
  Time yielded_at = 0;
  Seat seat{};
};

class World {
 public:
  World(const Scenario& scenario, CheckIn check_in, Options options);

  std::vector<SimulatedEvent> run();

 private:
  using Sessions = std::vector<std::size_t>;

  // One instant, part by part.
  void instant();
  void change_windows();
  void end_transfers();
  void end_clients();
  void tick();
  void come_and_ask();
  void give_seats();
  void yield_at_borders();
  void answer();
  void set_rates();
  void show_line() const;
  std::optional<Time> next_instant() const;
  void pass_time(Time until);

  // Of a tick.
  void age();
  void drop_no_shows();
  void free_idle_seats();
  void count_minutes();
  void mark();
  void preempt();

  // Steps of sessions.
  void arrive(std::size_t who);
  void arrive_anew(std::size_t who);
  void join(std::size_t who);
  void grant(std::size_t who);
  void end_seat(std::size_t who);
  void emit(SimulatedEventKind kind, std::size_t who);
  void drop_claims_of(std::size_t head);

  // Questions.
  const SimulatedClient& client(std::size_t who) const { return scenario_.clients[who]; }
  DownloadClass own_class(std::size_t who) const { return client(who).download_class; }
  bool can_rise(DownloadClass own) const;
  DownloadClass waits_in(std::size_t who) const;
  bool is_shared() const { return settings_.strategy == Strategy::shared; }
  bool has_no_room_for(std::size_t who) const;
  bool is_tick() const;
  bool has_come(Time when) const { return when <= now_ + 1; }
  bool is_open(DownloadClass of) const;  // may begin sessions: inside a window, or with a share outside
  bool is_inside(DownloadClass of) const;
  bool is_present(std::size_t who) const;
  std::uint64_t rest(std::size_t who) const;
  // Of what was sent, the ranges that were sent to their ends (S5).
  long double whole_ranges(std::size_t who) const;
  Sessions all(Session::State state) const;
  Sessions active() const;  // by grant
  Sessions by_arrival(Sessions sessions) const;
  std::uint64_t free_seats() const;
  bool is_blocked(std::size_t who) const;
  bool may_take_seat(std::size_t who, const Sessions& holders) const;
  bool is_below_share(std::size_t who, const Sessions& holders) const;
  bool is_above_share(std::size_t who, const Sessions& holders) const;
  std::uint64_t seats_of_principal(std::size_t who, const Sessions& holders) const;
  Sessions line_for_seats(const Sessions& holders) const;
  bool ends_within_five_seconds(std::size_t who) const;
  // Those who hold seats once those on the move have moved; without one more, and without regard to another's claim.
  Sessions holders_after_moves(std::optional<std::size_t> without, std::optional<std::size_t> unclaimed) const;
  bool has_claim(std::size_t head) const;
  bool is_slow(std::size_t who) const { return sessions_[who].seat.slow_minutes > 0; }
  bool may_be_taken(std::size_t victim, std::size_t head, bool is_for_share, const Sessions& holders) const;
  std::optional<std::size_t> victim_for(std::size_t head, bool is_for_share) const;
  bool holds_at_border(std::size_t victim) const;
  std::vector<Rate> rates_if(std::optional<std::size_t> unbound) const;
  std::optional<Duration> estimate(std::size_t who, Sessions& before) const;
  Duration to_duration(Time time) const;

  Scenario scenario_;
  SchedulerSettings settings_;
  CheckIn check_in_;
  Options options_;
  Order order_;
  std::vector<Session> sessions_;
  std::vector<SimulatedEvent> events_{};
  Time now_ = 0;
  Time next_tick_ = 500'000'000;
  std::array<bool, kDownloadClassNames.size()> inside_{};
  std::array<Time, kDownloadClassNames.size()> closed_for_{};
  std::uint64_t numbers_ = 0;
  std::uint64_t grants_ = 0;
  unsigned free_ticks_ = 0;  // in a row at which a seat stayed free
  Sessions asked_{};         // in this instant
  bool is_replay_ = false;
};

}  // namespace arkvory::server::reference
