// SPDX-License-Identifier: Apache-2.0
// Who may send now: sessions, seats and their order (scheduler.md, S1–S12, O1, L1, L2, T1, T2). A pure library: no I/O,
// no threads, no clock; every call that depends on the time is given it, and times never go back. One owner.
//
// How a request goes through it, all in one instant:
//
//   arrive ──► a session, or a refusal
//   settle ──► ends that came are counted, free seats are given (never before all of the instant is known)
//   take   ──► a Seat, where the session has one and may run one more answer
//   else tell (it is answered 503 and goes), or nothing (it is held here, and stays present until take, tell or vanish)
//
// A session whose request is here is `present`; each `arrive` is followed by exactly one take, tell, dismiss or vanish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/byte_range.h"
#include "core/base/clock.h"
#include "server-stub/scheduler/estimate.h"
#include "server-stub/scheduler/rate_window.h"
#include "server-stub/scheduler/seat.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/session.h"
#include "server-stub/scheduler/settings.h"
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

class Scheduler {
 public:
  // `hash_key` must not be guessable from outside. With `grants_from` no seat is given before that (T1).
  Scheduler(const SchedulerSettings& settings, const SipKey& hash_key, Instant now,
            std::optional<Instant> grants_from = std::nullopt);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- requests
  // Whether one with this key would arrive now: it has no record, or one that lost its arrival.
  bool begins_anew(const SessionKey& key) const;
  std::variant<SessionId, Refused> arrive(const Arrival& arrival, Instant now);
  // Counts ends, gives free seats to those who are present; appends the sessions that got one.
  void settle(Instant now, std::vector<SessionId>& granted);
  // None where the session waits, or where it runs as many answers as it may (S4).
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
  // A ticket with this time was given out (T2).
  void issued(SessionId session, std::int64_t stamp);
  // What a waiting session would be told, without telling it.
  std::size_t position(SessionId session) const;
  std::optional<StartEstimate> estimate(SessionId session) const;

  // --- time
  // Every kTick (L2): what idles, who did not come, who may take the next seat, then `settle`.
  void tick(Instant now, std::vector<SessionId>& granted);

  // --- sums, derived from the containers (L5)
  std::size_t active() const { return active_.size(); }
  std::size_t waiting() const { return order_.size(); }
  std::size_t live() const { return by_key_.size(); }
  std::size_t free_seats() const;
  // Bytes a second: the configured one, or more where more was seen (E2).
  std::optional<std::uint64_t> rate() const;
  // Aborts where an invariant does not hold (L5). For tests: it looks at everything.
  void check_invariants() const;

 private:
  friend class Seat;
  struct Ended {
    SessionId session;
    ByteRange range;
    std::uint64_t version;
    std::uint64_t sent;
    bool is_complete;
  };

  const Session& at(SessionId id) const;
  Session& at(SessionId id);
  SessionId id_of(SessionIndex index) const { return {index, sessions_[index].generation}; }
  PrincipalIndex principal_index(const std::string& name);
  std::optional<Refused> refusal_for_newcomer(const Arrival& arrival) const;
  SessionIndex make_session(const Arrival& arrival, Instant now);
  void remove(SessionIndex index);
  void come_back(Session& session, const Arrival& arrival, Instant now);
  void update(SessionIndex index, const Arrival& arrival);
  void file(SessionIndex index);
  void join(SessionIndex index);

  void delivered(SessionId id, std::uint64_t bytes);
  void ended(const Ended& end) { ended_.push_back(end); }
  void count_ends(Instant now);
  void count_end(const Ended& end, Instant now);
  void leave_seat(SessionIndex index);
  void end_request(SessionIndex index, Instant now);

  bool is_in_grace(Instant now) const { return grants_from_ && now < *grants_from_; }  // T1
  void give_seats(Instant now, std::vector<SessionId>& granted);
  std::optional<SessionIndex> next_to_seat() const;
  void grant(SessionIndex index, Instant now);

  void look_at_due(Instant now);
  bool is_over(SessionIndex index, Instant now);
  Instant due_at(const Session& session) const;
  void park(SessionIndex index, Instant now);
  void mark(Instant now);
  std::size_t ending_soon() const;
  void watch_rate(Instant now);
  static std::uint64_t rest(const Session& session);
  static std::uint64_t wanted(const Session& session);
  bool loses_arrival(const Session& session, Instant now);
  Duration replay(SessionIndex index, std::uint64_t known_rate) const;
  std::uint64_t hash(const Session& session) const;

  SchedulerSettings settings_;
  SipKey hash_key_;
  std::optional<Instant> grants_from_;
  std::vector<Session> sessions_;  // the pool
  std::vector<SessionIndex> unused_;
  std::unordered_map<SessionKey, SessionIndex, SessionKeyHash> by_key_;
  struct Principal {
    std::size_t sessions = 0;
  };
  // Never forgotten: their names come from the operator's file.
  std::unordered_map<std::string, PrincipalIndex> principal_by_name_;
  std::vector<Principal> principals_;

  ServiceOrder order_;
  std::vector<SessionIndex> active_;  // by grant, the oldest first
  std::vector<SessionIndex> marked_;  // at the last tick; some may have left the line since
  std::vector<Ended> ended_;          // since the last settle
  TimingWheel wheel_;
  TicketFloors floors_;
  RateWindow rate_window_;
  Instant second_began_;
  bool was_saturated_ = true;  // since the second began
  unsigned ticks_with_free_seat_ = 0;
  std::uint64_t next_number_ = 0;
  std::uint64_t next_grant_ = 0;
};

}  // namespace arkvory::server
