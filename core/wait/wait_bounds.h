// SPDX-License-Identifier: Apache-2.0
// How long a download may wait: functions of values that tell whether it may, before anything sleeps (client.md,
// Waiting).
#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/protocol/queue_notice.h"

namespace arkvory {

// A wait that is about to begin.
struct PlannedWait {
  Duration length{0};
  WallTime now{};             // when it would begin
  const Error& why;           // what made it necessary
  const QueueNotice& notice;  // what the server told
};

// Fault::wait_limit where waiting would go beyond `limit`, of which `spent` has been waited over all runs. A wait of no
// length is beyond a limit that is spent.
std::optional<Error> beyond_limit(const PlannedWait& wait, std::optional<Duration> limit, Duration spent);

// Fault::deadline where a download that has not begun would not begin before `not_after`: the server's own estimate is
// later, or the wait ends after it.
std::optional<Error> beyond_deadline(const PlannedWait& wait, std::optional<WallTime> not_after);

// Fault::deadline where `not_after` has come.
std::optional<Error> deadline_passed(std::optional<WallTime> not_after, WallTime now);

}  // namespace arkvory
