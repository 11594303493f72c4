// SPDX-License-Identifier: Apache-2.0
#include "cli/cancel_command.h"

#include <fmt/format.h>

#include "checkpoint/disk_workspace.h"
#include "checkpoint/read_checkpoint.h"
#include "cli/credentials.h"
#include "cli/messages.h"
#include "core/base/size.h"
#include "core/engine/file_names.h"
#include "core/engine/request_builder.h"

namespace arkvory::cli {

namespace {

// What the user is asked. A damaged checkpoint can't tell how much is held.
std::string question_about(const StateAccess& state, const std::filesystem::path& target) {
  const auto shown = shown_target(target, state.current);
  const auto checkpoint = read_checkpoint(state.files, target);
  if (!checkpoint || !checkpoint->has_value()) return fmt::format("Forget {} and remove its part file?", shown);
  const auto held = format_size((*checkpoint)->progress.claimed.total());
  return fmt::format("Forget {} and remove its part file with {}?", shown, held);
}

Result<bool> is_there(FileSystem& files, const std::filesystem::path& target) {
  for (const auto& path : {checkpoint_path(target), part_path(target)}) {
    const auto status = files.status(path);
    if (!status) return pass_on(status.error());
    if (status->has_value()) return true;
  }
  return false;
}

}  // namespace

Result<std::optional<Request>> release_for(const StateAccess& state, const std::filesystem::path& target,
                                           const Environment& environment) {
  const auto checkpoint = read_checkpoint(state.files, target);
  if (!checkpoint || !checkpoint->has_value()) return std::optional<Request>();
  const auto& facts = (*checkpoint)->progress.facts;
  if (!facts.is_arkvory) return std::optional<Request>();
  const auto credentials = credentials_for_resume(facts.shape, {}, environment);
  if (!credentials) return pass_on(credentials.error());
  const auto headers = request_headers(*credentials, false, facts.url, environment);
  if (!headers) return pass_on(headers.error());
  return std::optional(build_release(facts.url, *headers, facts.id));
}

Result<Cancelled> cancel(const StateAccess& state, const std::filesystem::path& target, const Question& ask) {
  if (ask) {
    // Nobody is asked about what can't be done anyway; `discard` judges again, under the lock.
    const auto there = is_there(state.files, target);
    if (!there) return pass_on(there.error());
    const auto owner = running_owner(state.files, state.processes, target);
    const bool running = owner && owner->has_value();
    if (*there && !running && !ask(question_about(state, target))) return Cancelled::kept;
  }
  if (auto done = discard(state.files, state.processes, state.registry, target); !done) return pass_on(done.error());
  return Cancelled::yes;
}

}  // namespace arkvory::cli
