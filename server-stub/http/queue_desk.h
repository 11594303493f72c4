// SPDX-License-Identifier: Apache-2.0
// Between the requests and the scheduler: who asks for an object's bytes is let in with a permit, told to wait, or held
// here until its turn. Only requests that would be answered with bytes come here (S3). Only on the I/O thread.
//
// Waiters: a session's record in the scheduler (about 300 bytes) for who was told to wait; for who is held, the
// request's answer with its open file, at most `transfer_queue_limit` of them (L1).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/http/exchange.h"
#include "server-stub/http/permit.h"
#include "server-stub/http/routes.h"
#include "server-stub/http/ticket_office.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

// An answer that may be sent now; refusals need no permit.
struct Admitted {
  Answer answer;
  std::optional<Permit> permit{};
};

// Why a request was not let in, other than to wait for its turn.
enum class TurnedAway {
  queue_full,       // L1
  rate_limited,     // more questions than may be asked
  per_request,      // no room among the small objects (S2)
  too_many_ranges,  // of one download at once (S4)
};
inline constexpr std::array<std::string_view, 4> kTurnedAwayNames{"queue_full", "rate_limited", "per_request",
                                                                  "too_many_ranges"};

// S1. `address`: the client's; it counts only where there is no id.
SessionKey key_of(const ObjectRequest& asked, const std::string& address);

class QueueDesk {
 public:
  using HoldId = std::uint64_t;
  // Called once, when the hold ends; never from within `admit`.
  using Resume = std::function<void(Admitted)>;

  QueueDesk(const SchedulerSettings& settings, const Clock& clock, const SipKey& hash_key,
            std::optional<Instant> grants_from);

  // Decides on `answer`, which has a body of bytes to send. A HoldId: the answer is kept here and `resume` will be
  // called, unless `drop` is first.
  std::variant<Admitted, HoldId> admit(const ObjectRequest& asked, const SessionKey& key, Answer answer, Resume resume);
  // Whether `admit` would most likely tell it to wait.
  bool has_to_wait(const SessionKey& key) const { return scheduler_.has_to_wait(key); }
  // The client of a held request is gone.
  void drop(HoldId hold);
  // `DELETE`: 204, or 404 where there is no such session.
  Answer cancel(const ObjectRequest& asked);
  // A permit has ended: gives what became free to those who wait for it.
  void settle();
  // An answer with a permit took so long, from its admission to its end.
  void took(Duration time) { small_.took(time); }
  // Every kTick.
  void tick();
  // Other settings from the next decision on (O1); what sizes memory stays as it is. Under `shared` those who are held
  // for a seat wait for admission per request instead.
  void change(const SchedulerSettings& settings);
  // Of the rate, in millionths: what those of each class who began outside its window get together now; none: no limit
  // (W1).
  std::array<std::optional<std::uint32_t>, kClasses> outside_shares();
  // The server stops (L4): all who are held are told to come back after `pause`.
  void stop(Duration pause);

  TicketOffice& tickets() { return tickets_; }
  const Scheduler& scheduler() const { return scheduler_; }
  std::size_t held() const { return holds_.size(); }
  const RequestAdmission& small() const { return small_; }
  std::uint64_t times(TurnedAway why) const { return turned_away_[static_cast<std::size_t>(why)]; }
  // Who is here; not counted anew before a hundred times as long has passed as counting took.
  const Census& census();

 private:
  struct SessionHold {
    SessionId session;
    ObjectRequest asked;
    SessionKey key;
  };
  struct SmallHold {
    RequestAdmission::Place place;
  };
  struct Hold {
    std::variant<SessionHold, SmallHold> what;
    Answer answer;
    Resume resume;
    Instant until;
    std::string principal;
  };

  std::variant<Admitted, HoldId> admit_small(const ObjectRequest& asked, Answer answer, Resume resume);
  std::variant<Admitted, HoldId> admit_session(const ObjectRequest& asked, const SessionKey& key, Answer answer,
                                               Resume resume);
  std::optional<Admitted> let_in(SessionId session, const ObjectRequest& asked, const SessionKey& key, Answer& answer);
  Answer turn_away(TurnedAway why, Answer answer);
  Answer tell(SessionId session, const ObjectRequest& asked, const SessionKey& key);
  std::optional<Ticket> issue(SessionId session, const ObjectRequest& asked, const SessionKey& key);
  bool has_room_for_hold(const Principal& principal) const;
  HoldId hold(Hold hold);
  void hold_per_request();
  void end_hold(HoldId id, Admitted outcome);
  void resume_served();
  void end_expired(Instant now);

  SchedulerSettings settings_;
  const Clock& clock_;
  Scheduler scheduler_;
  RequestAdmission small_;
  TicketOffice tickets_;
  std::map<HoldId, Hold> holds_;  // in order of arrival
  HoldId next_hold_ = 1;
  std::array<std::uint64_t, kTurnedAwayNames.size()> turned_away_{};
  std::optional<Census> census_;
  Instant census_good_until_{};
};

}  // namespace arkvory::server
