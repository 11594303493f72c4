// SPDX-License-Identifier: Apache-2.0
// What to do after something went wrong: a function of values. It never waits itself.
#pragma once

#include <optional>
#include <variant>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/rng.h"
#include "core/http/retry_after.h"
#include "core/protocol/queue_notice.h"
#include "core/wait/retry_budget.h"

namespace arkvory {

struct Failure {
  Error error;
  std::optional<RetryAfter> asked{};  // the server said when to come back
  unsigned in_a_row = 1;              // the how-manieth of its kind in a row at the same place, from 1
  bool brought_new_bytes = false;     // it came after bytes never held before
  bool free = false;                  // the peer says it had not begun, or this repeats a fault already paid for
};

struct StartAgainAt {
  Instant earliest;
};
struct GiveUp {
  Error error;
};
using Decision = std::variant<StartAgainAt, GiveUp>;

// Decides by what kind of fault it is:
// - busy: come back when asked, or after a floor of our own; costs nothing, however often;
// - weather: come back after a floor of our own; costs nothing;
// - network: back off; costs one from the budget unless it brought new bytes or is free; gives up when the budget or
//   the attempts at this place are spent;
// - everything else can't be mended by asking again: gives up with the error as it is.
Decision after_failure(const Failure& failure, RetryBudget& budget, Instant now, Rng& chance);

// What a busy answer to one request for a range means for the others. True: this server wants fewer at once, and
// nothing else stops. False: the whole download has to wait for its turn.
bool means_fewer_connections(const QueueNotice& notice, bool sibling_asks, bool sibling_is_served);

}  // namespace arkvory
