// SPDX-License-Identifier: Apache-2.0
// Who may send now: sessions, seats and their order (scheduler.md, rules S, O, E, W, T, L). A pure library: no I/O, no
// threads, no clock; every call that depends on the time is given it, and times never go back. One owner.
//
// How a request goes through it, all in one instant:
//
//   arrive ──► a session, or a refusal
//   tick   ──► if it is time: what time alone brings about
//   settle ──► ends that came are counted, free seats are given (never before all of the instant is known), then seats
//              are passed on at the borders reached now
//   take   ──► a Seat, where the session has one and may run one more answer
//   else tell (it is answered 503 and goes), or nothing (it is held here, and stays present until take, tell or vanish)
//
// A session whose request is here is `present`; each `arrive` is followed by exactly one take, tell, dismiss or vanish.
//
// scheduler.cpp: sessions and requests; scheduler_seats.cpp: who gets a seat; scheduler_preemption.cpp: who loses it;
// scheduler_tick.cpp: what time brings about; scheduler_estimate.cpp: what is told; scheduler_census.cpp: who is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/byte_range.h"
#include "core/base/clock.h"
#include "server-stub/scheduler/census.h"
#include "server-stub/scheduler/class_gates.h"
#include "server-stub/scheduler/estimate.h"
#include "server-stub/scheduler/position_rises.h"
#include "server-stub/scheduler/rate_window.h"
#include "server-stub/scheduler/replay.h"
#include "server-stub/scheduler/seat.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/session.h"
#include "server-stub/scheduler/session_table.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/scheduler/shares.h"
#include "server-stub/scheduler/tally.h"
#include "server-stub/scheduler/throughput.h"
#include "server-stub/scheduler/ticket_floors.h"
#include "server-stub/scheduler/timing_wheel.h"

namespace arkvory::server {

inline constexpr Duration kTick = std::chrono::milliseconds(500);  // L2

// A ticket that was found good (protocol.md §4).
struct TicketClaim {
  Instant arrival{};        // what it states, on the scheduler's clock
  std::int64_t stamp = 0;   // the same as the ticket has it: wall-clock milliseconds
  std::int64_t issued = 0;  // likewise
};

struct Arrival {
  SessionKey key{};
  std::string principal{};
  std::string counted_as{};   // whose share of the limits it is (O2: of a link its issuer); empty: the principal's own
  bool is_anonymous = false;  // limits per principal do not apply
  bool has_download_id = true;
  DownloadClass download_class = DownloadClass::interactive;
  std::uint64_t size = 0;     // of the object, bytes
  std::uint64_t version = 0;  // another one for another content
  ByteRange wanted{0, 1};
  bool is_tail_read = false;  // S6: a suffix, or a closed range up to the last byte
  std::int64_t stamp = 0;     // of one that begins anew, wall-clock milliseconds
  std::optional<TicketClaim> ticket{};
  bool may_ask_often = false;  // its questions are not counted
};

enum class Refusal {
  queue_full,          // L1
  too_many_questions,  // `rate_limited`
};
struct Refused {
  Refusal reason;
  Duration retry_after{0};
};

// What a waiting client is told.
struct Notice {
  std::optional<std::size_t> position{};  // 1 is next; none for a newcomer
  std::optional<StartEstimate> start{};   // none while no rate is known
  Duration check_in{0};
};

// What happened to a session without a request of its own.
struct Change {
  enum class Kind {
    granted,    // has a seat
    yielded,    // passed its seat on and waits anew (O9)
    seat_lost,  // by idling (S8, S9), or by taking too little (S13)
    no_show,    // did not come back in time (S11)
  };
  Kind kind;
  SessionId session;
};

class Scheduler {
 public:
  // `hash_key` must not be guessable from outside. With `grants_from` no seat is given before that (T1). `wall`: what
  // the clock on the wall shows at `now`, for windows.
  Scheduler(const SchedulerSettings& settings, const SipKey& hash_key, Instant now,
            std::optional<Instant> grants_from = std::nullopt, WallTime wall = WallTime());
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- requests
  // Whether one with this key would arrive now: it has no record, or one that lost its arrival.
  bool begins_anew(const SessionKey& key) const;
  // Whether one with this key waits, and no seat is free that it might be given if it asked now.
  bool has_to_wait(const SessionKey& key) const;
  std::variant<SessionId, Refused> arrive(const Arrival& arrival, Instant now);
  // Counts ends, gives free seats to those who are present, passes seats on at borders; appends what changed.
  void settle(Instant now, std::vector<Change>& changes);
  // None where the session waits, or where it runs as many answers as it may (S4), or is to leave its seat at the end
  // of those that run.
  std::optional<Seat> take(SessionId session, const ByteRange& range);
  // The request is answered "wait". Requires that the session waits.
  Notice tell(SessionId session, Instant now);
  // The request is answered otherwise; the session's place stays as it is.
  void dismiss(SessionId session, Instant now);
  // The client of a held request is gone (S10): its session leaves the line if no other request of it is here
  // and nobody was told to come back later than now.
  void vanish(SessionId session, Instant now);
  // `DELETE`: the seat or place is free at once. False where there is no such session.
  bool cancel(const SessionKey& key, Instant now);

  // --- of a session; each requires a live one
  SessionState state(SessionId session) const { return at(session).state; }
  bool is_live(SessionId session) const;
  DownloadClass download_class(SessionId session) const { return at(session).download_class; }
  std::int64_t stamp(SessionId session) const { return at(session).stamp; }
  // When a session in line arrived, as the order counts it (O7).
  Instant arrival(SessionId session) const;
  // A ticket with this time was given out (T2).
  void issued(SessionId session, std::int64_t stamp);
  // What a waiting session would be told, without telling it.
  struct Outlook {
    std::size_t position = 0;
    std::optional<StartEstimate> start{};  // none while no rate is known, or where it would never start
  };
  Outlook outlook(SessionId session, Instant now) const;
  // Of a waiting one.
  ServiceOrder::Ahead ahead_of(SessionId session) const { return order_.ahead_of(session.index); }
  std::size_t position(SessionId session) const { return ahead_of(session).sessions + 1; }

  // Whether it holds a seat that it may have to leave at the next range border (O9, S13): when its running answers end.
  bool is_wanted(SessionId session) const;
  // It could have taken more from the link for so long, and took so many bytes in it (S13).
  void could_take_more(SessionId session, Duration time, std::uint64_t bytes);
  // What it sends at now, in thousandths of a byte a second; unless told, seats are taken to share the rate equally
  // (Exactly 10). Requires a seat.
  void sends_at(SessionId session, std::uint64_t rate) { seat(session.index).rate = rate; }
  // Began outside its class's window: gets of the rate what `gates` says (W1). Requires a seat.
  bool is_outside(SessionId session) const { return seat(session.index).is_outside; }

  // --- time
  // Every kTick (L2, Exactly 7): ageing, idle seats, who did not come, who may take the next seat, who is to yield.
  // `settle` has to follow in the same instant. Appends what changed.
  void tick(Instant now, std::vector<Change>& changes);
  // The clock on the wall was read.
  void set_wall(Instant now, WallTime wall) { gates_.set_wall(now, wall); }
  const ClassGates& gates() const { return gates_; }
  // From the next decision on (O1). What sizes memory (†) and the sessions that are active stay as they are.
  void change(const SchedulerSettings& settings, Instant now);

  // --- sums, derived from the containers (L5)
  std::size_t active() const { return active_.size(); }
  std::size_t waiting() const { return order_.size(); }
  std::size_t live() const { return by_key_.size(); }
  std::size_t free_seats() const;
  // Waiting sessions that may take a seat now, up to `most`.
  std::size_t count_who_may_take(Instant now, std::size_t most) const;
  std::uint64_t seats() const { return settings_.seats(); }
  std::uint64_t reserved_seats() const { return settings_.reserved_seats(); }
  // Looks at every session: milliseconds for a hundred thousand.
  Census census(Instant now) const;
  // Those that have sessions in line, those with most first.
  std::vector<PrincipalCount> waiting_principals() const;
  // After how long the last of those in line has its seat, if nobody else comes: none while no rate is known, or where
  // one would never start.
  std::optional<Duration> empties_in(Instant now) const;
  const PositionRises& rises() const { return rises_; }
  const Tally& tally() const { return tally_; }
  const Throughput& throughput() const { return throughput_; }
  std::uint64_t preemptions() const { return tally_.times(Tally::Event::preemption); }
  // Bytes a second: the configured one, or more where more was seen (E2).
  std::optional<std::uint64_t> rate() const;
  // Aborts where an invariant does not hold (L5). For tests: it looks at everything.
  void check_invariants() const;

 private:
  friend class Seat;
  struct Ended {
    SessionId session;
    std::optional<ByteRange> range;  // what counts as sent to its end (S5)
    std::uint64_t version;
    std::uint64_t sent;
    bool is_at_end;  // not broken off
  };

  const Session& at(SessionId id) const;
  Session& at(SessionId id);
  // Of one that holds a seat.
  SeatState& seat(SessionIndex index) { return active_.at(histories_.at(index).grant_number); }
  const SeatState& seat(SessionIndex index) const { return active_.at(histories_.at(index).grant_number); }
  SessionId id_of(SessionIndex index) const { return {index, sessions_[index].generation}; }

  // --- sessions
  PrincipalIndex principal_index(const std::string& name);
  std::optional<Refused> refusal_for_newcomer(const Arrival& arrival) const;
  SessionIndex make_session(const Arrival& arrival, Instant now);
  void remove(SessionIndex index);
  void come_back(SessionIndex index, const Arrival& arrival, Instant now);
  void update(SessionIndex index, const Arrival& arrival);
  void change_class(SessionIndex index, DownloadClass name);
  void file(SessionIndex index);
  void join(SessionIndex index, Instant queued, std::uint32_t number);
  Waiter waiter(const Session& session, Instant queued, std::uint32_t number) const;
  void leave_line(std::span<const SessionIndex> indices);
  void leave_line(SessionIndex index) { leave_line(std::span(&index, 1)); }
  static std::uint64_t rest(const Session& session, const SeatState& seat);
  static std::uint64_t wanted(const Session& session);
  std::uint64_t hash(const Session& session) const;

  // --- answers
  void delivered(SessionId id, std::uint64_t bytes);
  void offered(SessionId id, bool is_waiting_for_client);
  void ended(const Ended& end) { ended_.push_back(end); }
  void count_ends(Instant now);
  void count_end(const Ended& end, Instant now);
  void end_request(SessionIndex index, Instant now);

  // --- seats
  bool is_in_grace(Instant now) const { return grants_from_ && now < *grants_from_; }  // T1
  void give_seats(Instant now, std::vector<Change>& changes);
  std::optional<SessionIndex> next_to_seat(Instant now) const;
  void grant(SessionIndex index, Instant now, std::vector<Change>& changes);
  void leave_seat(SessionIndex index);
  void count_seat(const Session& session, bool is_added);
  bool may_take_seat(SessionIndex index, Instant now) const;
  bool may_take_a_victims_seat(SessionIndex index, Instant now) const;
  // Calls `visit` with those who may take a seat, in their order (Exactly 4), until it returns false.
  template <typename Visit>
  void visit_line(Instant now, const Visit& visit) const;
  std::size_t reserved_for_others() const;

  // --- losing them
  void mark_preemption(Instant now);
  std::optional<SessionIndex> next_head(DownloadClass name, bool is_below_share, Instant now) const;
  void count_moves(bool is_made);
  bool still_yields(SessionIndex index, SessionId head, Instant now);
  std::optional<std::uint64_t> victim_for(const Session& head, bool is_below_share, Instant now) const;
  bool may_yield_to(const Session& head, const SeatState& seat, bool is_below_share) const;
  void pass_border(SessionIndex index, Instant now, std::vector<Change>& changes);
  void yield(SessionIndex index, Instant now, std::vector<Change>& changes);
  bool must_leave_at_border(const SeatState& seat) const;
  void watch_progress(Duration since_last_tick);
  void count_slow_minutes();

  // --- time
  void follow_gates(Instant now);
  void move_in_line(SessionIndex index, DownloadClass to);
  void sort_by_arrival(std::vector<SessionIndex>& waiting) const;
  void look_at_due(Instant now, std::vector<Change>& changes);
  bool is_over(SessionIndex index, Instant now, std::vector<SessionIndex>& aged, std::vector<SessionIndex>& idle);
  Instant due_at(SessionIndex index) const;
  Instant ages_at(const Session& session) const;
  void age(std::span<const SessionIndex> indices);
  void park(SessionIndex index, Instant now, std::vector<Change>& changes);
  bool loses_arrival(SessionIndex index, Instant now);
  void mark(Instant now);
  std::vector<SessionIndex> ending_soon() const;
  void watch_rate(Instant now);

  // --- telling
  std::optional<std::uint64_t> seats_if_plain(const Session& session, std::uint64_t known_rate) const;
  Outlook plain_outlook(SessionIndex index, std::uint64_t known_rate, std::uint64_t seats) const;
  std::optional<StartEstimate> replayed(SessionIndex index, Instant now) const;
  const Replay& replay(Instant now) const;
  Replay::Line line_for_replay() const;

  SchedulerSettings settings_;
  SipKey hash_key_;
  std::optional<Instant> grants_from_;
  RecordPool<Session> sessions_;
  std::vector<SessionIndex> unused_;
  std::unordered_map<SessionIndex, SeatHistory> histories_;
  SessionTable by_key_;
  // Never forgotten: their names come from the operator's file.
  std::unordered_map<std::string, PrincipalIndex> principal_by_name_;
  Shares shares_;
  ClassGates gates_;
  ServiceOrder order_;
  std::map<std::uint64_t, SeatState> active_;  // by grant number: the oldest first
  std::vector<SessionIndex> marked_;           // at the last tick; some may have left the line since
  std::vector<Ended> ended_;                   // since the last settle
  std::vector<SessionIndex> at_border_;        // since the last settle
  // Seats by what the rules ask of them.
  std::int64_t seats_of_others_ = 0;   // not of `interactive` (O5)
  std::int64_t seats_without_id_ = 0;  // S13
  std::size_t waiting_with_id_ = 0;    // S13
  std::size_t waiting_interactive_ = 0;
  TimingWheel wheel_;
  TicketFloors floors_;
  RateWindow rate_window_;
  Instant second_began_;
  bool was_saturated_ = true;           // since the second began
  std::optional<Instant> ticked_at_{};  // the last time
  bool seat_stayed_free_ = false;       // at the last tick
  unsigned ticks_with_free_seat_ = 0;
  PositionRises rises_;
  Tally tally_;
  Throughput throughput_;
  mutable std::optional<Replay> replay_{};  // what it says holds for a moment
  std::uint32_t next_number_ = 0;
  std::uint64_t next_grant_ = 0;
};

}  // namespace arkvory::server
