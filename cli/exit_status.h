// SPDX-License-Identifier: Apache-2.0
// How the program ends: the numbers and words are an API (client.md, Exit status).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/engine/status.h"

namespace arkvory::cli {

enum class ExitStatus : int {
  ok = 0,
  internal = 1,
  usage = 2,
  wait_limit = 3,
  deadline = 4,
  network = 5,
  refused = 6,
  integrity = 7,
  locked = 8,
  changed = 9,
  local = 10,
  untrusted = 11,
  auth = 12,
  state = 13,
  partial = 14,
  conflict = 15,
};

// The word beside the number, as in `--json`.
std::string_view word(ExitStatus status);

// The sentence beside the number, as in `--help`.
std::string_view meaning(ExitStatus status);

// Every status, in the order of the numbers.
std::span<const ExitStatus> all_exit_statuses();

// The status that a failure ends with; nothing for Fault::interrupted, which ends by the signal itself.
std::optional<ExitStatus> exit_status(Fault fault);

// What a shell sees of one target's outcome: a status, or `signal` and 128+n.
struct Ending {
  int number = 0;
  std::string_view word;
};
Ending ending_of(const Outcome& outcome);

// The status of a run over several targets: failures that are all alike end with their own status, different ones with
// `partial`, none with `ok`. An interruption is not counted here: it ends the program by its signal.
ExitStatus combined(std::span<const Fault> failures);

}  // namespace arkvory::cli
