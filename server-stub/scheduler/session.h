// SPDX-License-Identifier: Apache-2.0
// The scheduler's record of one download of one client, and what it has beside while it holds a seat.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/clock.h"
#include "core/protocol/download_class.h"
#include "server-stub/scheduler/coverage.h"
#include "server-stub/scheduler/position_rises.h"
#include "server-stub/scheduler/question_limit.h"
#include "server-stub/scheduler/seat.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/session_key.h"
#include "server-stub/scheduler/stamp.h"
#include "server-stub/scheduler/told_start.h"

namespace arkvory::server {

enum class SessionState : std::uint8_t {
  waiting,  // in line
  active,   // holds a seat
  parked,   // lost its seat by idling; its arrival and coverage are kept for a while (S8)
};

// A million may wait: what only those need that have held a seat is in SeatHistory.
struct Session {
  SessionKey key{};
  std::uint32_t generation = 0;  // of the record: tells an id of an earlier session apart
  SessionState state = SessionState::waiting;
  DownloadClass download_class = DownloadClass::interactive;  // its own
  DownloadClass waits_in = DownloadClass::interactive;        // by ageing the next higher (O6)
  bool is_live : 1 = false;
  bool is_aged : 1 = false;
  bool has_download_id : 1 = false;
  bool is_marked : 1 = false;  // may take the next free seat (S12)
  bool was_told : 1 = false;   // has had an answer: is no newcomer any more
  bool has_sat : 1 = false;    // has a SeatHistory

  PrincipalIndex principal = 0;
  PrincipalIndex counted_as = 0;    // whose share and limits it counts for
  std::uint32_t present = 0;        // requests of it that are here and not answered yet
  std::uint32_t told_position = 0;  // 0: none yet
  PositionRises::Mark told_after = 0;
  QuestionLimit questions{};
  std::uint64_t size = 0;     // of the object, bytes
  std::uint64_t version = 0;  // of its content
  Coverage coverage{};

  Instant ages_from{};  // the arrival, less what its class had been barred before (O6)
  Stamp stamp = 0;      // the arrival as tickets state it: wall-clock milliseconds
  Stamp last_issued = std::numeric_limits<std::int64_t>::min();  // the newest ticket's time (T2), likewise
  ToldStart told_start{};                                        // the first one (E4)
  Instant check_at{};                                            // when it was told to come back
  Duration told{0};                                              // after how long
};

// Of a session that holds a seat, or did.
struct SeatHistory {
  std::uint64_t grant_number = 0;
  Instant arrival{};  // by which, with the next, it stood in line (O7)
  std::uint32_t number = 0;
  Instant parked_at{};
  std::uint64_t delivered_since_idle = 0;
  bool has_idled = false;                 // S8: a second time without 8 MiB in between costs the arrival
  bool has_lost_arrival = false;          // S8
  bool stands_behind = false;             // S13: behind those of its principal that wait when it comes back
  std::uint8_t yields = 0;                // how often it was preempted (O9)
  std::optional<SessionId> yielded_to{};  // O9: before it, this one sits down
  Instant yielded_at{};
};

// What a session has while it holds a seat.
struct SeatState {
  SessionIndex session = 0;
  Instant granted_at{};
  std::uint64_t granted_bytes = 0;
  std::uint64_t delivered = 0;
  std::uint64_t sent_by_running = 0;    // by answers that have not ended
  std::uint32_t running = 0;            // answers under way
  Instant idle_since{};                 // while none runs
  bool ended_whole = false;             // the last one: its end is a range border
  bool is_outside = false;              // began outside its class's window (W1)
  std::optional<std::uint64_t> rate{};  // thousandths of a byte a second, where it was told

  // S13: the minute that is being counted, and how many slow ones there were in a row.
  std::uint32_t waiting_for_client = 0;  // answers that are offered more than their client takes
  std::uint64_t delivered_before = 0;    // at the last tick
  Duration could_take_more{0};
  std::uint64_t taken = 0;
  unsigned slow_minutes = 0;

  std::optional<SessionId> head{};  // the one it yields to at the next border (O9)
};

}  // namespace arkvory::server
