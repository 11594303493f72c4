// SPDX-License-Identifier: Apache-2.0
#include "core/wait/wait_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/wait/backoff.h"

namespace arkvory {

using namespace std::chrono_literals;

namespace {

Decision after_busy(const Failure& failure, Instant now, Rng& chance) {
  // Busy answers cost no retry: the server asked us to come back, so coming back is not insisting.
  const Duration ceiling = failure.asked ? Duration(1500ms) : Duration(60s);
  auto wait = busy_floor(failure.in_a_row, ceiling);
  if (failure.asked) wait = std::max(wait, failure.asked->delay());
  return StartAgainAt{now + wait + busy_addition(wait, chance)};
}

Decision after_fault(const Failure& failure, RetryBudget& budget, Instant now, Rng& chance) {
  if (failure.brought_new_bytes) return StartAgainAt{now + backoff_after_fault(1, chance)};
  if (failure.free) return StartAgainAt{now + backoff_after_fault(failure.in_a_row, chance)};
  if (failure.in_a_row >= budget.max_attempts) {
    return GiveUp{Error{failure.error.fault,
                        fmt::format("{}, {} times in a row", failure.error.words, failure.in_a_row),
                        failure.error.cause}};
  }
  if (budget.retries_left == 0)
    return GiveUp{Error{failure.error.fault, failure.error.words + ", and no retry is left", failure.error.cause}};
  --budget.retries_left;
  return StartAgainAt{now + backoff_after_fault(failure.in_a_row, chance)};
}

}  // namespace

bool means_fewer_connections(const QueueNotice& notice, bool sibling_asks, bool sibling_is_served) {
  if (notice.reason == "too_many_ranges") return sibling_asks || sibling_is_served;
  // Who is given a place in a queue has no seat any more, whatever still runs.
  return sibling_is_served && !notice.is_queued();
}

Decision after_failure(const Failure& failure, RetryBudget& budget, Instant now, Rng& chance) {
  switch (failure.error.fault) {
    case Fault::busy: return after_busy(failure, now, chance);
    case Fault::weather: return StartAgainAt{now + busy_floor(failure.in_a_row, 8s) + busy_addition(0s, chance)};
    case Fault::network: return after_fault(failure, budget, now, chance);
    case Fault::internal:
    case Fault::usage:
    case Fault::wait_limit:
    case Fault::deadline:
    case Fault::refused:
    case Fault::integrity:
    case Fault::locked:
    case Fault::changed:
    case Fault::local:
    case Fault::untrusted:
    case Fault::auth:
    case Fault::state:
    case Fault::conflict:
    case Fault::interrupted: return GiveUp{failure.error};
  }
  return GiveUp{failure.error};
}

}  // namespace arkvory
