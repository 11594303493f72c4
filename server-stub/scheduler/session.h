// SPDX-License-Identifier: Apache-2.0
// The scheduler's record of one download of one client.
#pragma once

#include <cstdint>
#include <limits>

#include "core/base/clock.h"
#include "core/protocol/download_class.h"
#include "server-stub/scheduler/coverage.h"
#include "server-stub/scheduler/question_limit.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/session_key.h"

namespace arkvory::server {

enum class SessionState {
  waiting,  // in line
  active,   // holds a seat
  parked,   // lost its seat by idling; its arrival and coverage are kept for a while (S8)
};

struct Session {
  SessionKey key{};
  std::uint32_t generation = 0;  // of the record: tells an id of an earlier session apart
  bool is_live = false;
  SessionState state = SessionState::waiting;

  PrincipalIndex principal = 0;
  PrincipalIndex counted_as = 0;  // whose share of the limits it is
  DownloadClass download_class = DownloadClass::interactive;
  bool has_download_id = false;
  std::uint64_t size = 0;     // of the object, bytes
  std::uint64_t version = 0;  // of its content
  Coverage coverage{};

  Instant arrival{};
  std::uint64_t number = 0;  // of the record, for O7
  std::int64_t stamp = 0;    // the arrival as tickets state it: wall-clock milliseconds
  std::int64_t last_issued = std::numeric_limits<std::int64_t>::min();  // the newest ticket's time (T2), likewise

  std::uint32_t present = 0;  // requests of it that are here and not answered yet

  // While waiting.
  bool is_marked = false;  // may take the next free seat (S12)
  bool was_told = false;   // has had an answer: is no newcomer any more
  Instant check_at{};      // when it was told to come back
  Duration told{0};        // after how long
  QuestionLimit questions{};

  // While active.
  std::uint64_t grant_number = 0;
  std::uint64_t granted_bytes = 0;
  std::uint64_t delivered_since_grant = 0;
  std::uint64_t sent_by_running = 0;  // by answers that have not ended
  std::uint32_t running = 0;          // answers under way
  Instant idle_since{};               // while none runs

  // S8: a second idling without 8 MiB in between costs the arrival.
  Instant parked_at{};
  bool has_idled = false;
  std::uint64_t delivered_since_idle = 0;
  bool has_lost_arrival = false;
};

}  // namespace arkvory::server
