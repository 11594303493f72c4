// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_status.h"

#include <array>

namespace arkvory::cli {

std::string_view word(ExitStatus status) {
  switch (status) {
    case ExitStatus::ok: return "ok";
    case ExitStatus::internal: return "internal";
    case ExitStatus::usage: return "usage";
    case ExitStatus::wait_limit: return "wait_limit";
    case ExitStatus::deadline: return "deadline";
    case ExitStatus::network: return "network";
    case ExitStatus::refused: return "refused";
    case ExitStatus::integrity: return "integrity";
    case ExitStatus::locked: return "locked";
    case ExitStatus::changed: return "changed";
    case ExitStatus::local: return "local";
    case ExitStatus::untrusted: return "untrusted";
    case ExitStatus::auth: return "auth";
    case ExitStatus::state: return "state";
    case ExitStatus::partial: return "partial";
    case ExitStatus::conflict: return "conflict";
  }
  return "internal";
}

std::string_view meaning(ExitStatus status) {
  switch (status) {
    case ExitStatus::ok: return "complete and verified; of several files, every one";
    case ExitStatus::internal: return "a bug, or out of memory";
    case ExitStatus::usage: return "a bad option or value; nothing was requested";
    case ExitStatus::wait_limit: return "the wait limit is reached; the place is kept";
    case ExitStatus::deadline: return "the deadline can't be met";
    case ExitStatus::network: return "network faults, the budget is spent; go on later";
    case ExitStatus::refused: return "refused for good, or no such unfinished download";
    case ExitStatus::integrity: return "a digest or block check failed";
    case ExitStatus::locked: return "another process works on this target";
    case ExitStatus::changed: return "the remote object changed";
    case ExitStatus::local: return "space, permission, an existing target, a limit";
    case ExitStatus::untrusted: return "answers that can't be trusted: ranges, redirects, TLS";
    case ExitStatus::auth: return "credentials missing, unreadable or refused";
    case ExitStatus::state: return "checkpoint or registry damaged, or newer than this program";
    case ExitStatus::partial: return "several targets with different failures";
    case ExitStatus::conflict: return "an operator's change met another change";
  }
  return "";
}

std::span<const ExitStatus> all_exit_statuses() {
  static constexpr std::array all{
      ExitStatus::ok,       ExitStatus::internal, ExitStatus::usage,   ExitStatus::wait_limit,
      ExitStatus::deadline, ExitStatus::network,  ExitStatus::refused, ExitStatus::integrity,
      ExitStatus::locked,   ExitStatus::changed,  ExitStatus::local,   ExitStatus::untrusted,
      ExitStatus::auth,     ExitStatus::state,    ExitStatus::partial, ExitStatus::conflict};
  return all;
}

std::optional<ExitStatus> exit_status(Fault fault) {
  switch (fault) {
    case Fault::internal: return ExitStatus::internal;
    case Fault::usage: return ExitStatus::usage;
    case Fault::wait_limit: return ExitStatus::wait_limit;
    case Fault::deadline: return ExitStatus::deadline;
    case Fault::busy: return ExitStatus::network;
    case Fault::weather: return ExitStatus::network;
    case Fault::network: return ExitStatus::network;
    case Fault::refused: return ExitStatus::refused;
    case Fault::integrity: return ExitStatus::integrity;
    case Fault::locked: return ExitStatus::locked;
    case Fault::changed: return ExitStatus::changed;
    case Fault::local: return ExitStatus::local;
    case Fault::untrusted: return ExitStatus::untrusted;
    case Fault::auth: return ExitStatus::auth;
    case Fault::state: return ExitStatus::state;
    case Fault::conflict: return ExitStatus::conflict;
    case Fault::interrupted: return std::nullopt;
  }
  return ExitStatus::internal;
}

Ending ending_of(const Outcome& outcome) {
  if (!outcome.error) return {static_cast<int>(ExitStatus::ok), word(ExitStatus::ok)};
  const auto status = exit_status(outcome.error->fault);
  if (!status) return {128 + outcome.signal, "signal"};
  return {static_cast<int>(*status), word(*status)};
}

ExitStatus combined(std::span<const Fault> failures) {
  auto sum = ExitStatus::ok;
  for (const auto fault : failures) {
    const auto status = exit_status(fault);
    if (!status) continue;
    if (sum == ExitStatus::ok) sum = *status;
    if (sum != *status) return ExitStatus::partial;
  }
  return sum;
}

}  // namespace arkvory::cli
