// SPDX-License-Identifier: Apache-2.0
#include "cli/resume_command.h"

#include <set>

#include "checkpoint/read_checkpoint.h"
#include "cli/credentials.h"
#include "cli/target_choice.h"

namespace arkvory::cli {

namespace {

Result<Job> job_from(const DownloadFacts& facts, const std::filesystem::path& target, const RunOptions& run,
                     const std::filesystem::path& current, const Environment& environment) {
  const auto credentials = credentials_for_resume(facts.shape, run.credentials, environment);
  if (!credentials) return pass_on(credentials.error());
  auto headers = request_headers(*credentials, run.network.insecure, facts.url, environment);
  if (!headers) return pass_on(headers.error());
  auto shape = facts.shape;
  // Files named anew are those to be read the next time.
  if (!run.credentials.header_files.empty()) shape.header_files.clear();
  note_sources(shape, {.header_files = run.credentials.header_files, .token_file = run.credentials.token_file},
               facts.url, current);
  return Job{.url = facts.url,
             .folder = target.parent_path(),
             .name = target.filename().native(),
             .shape = std::move(shape),
             .headers = std::move(*headers),
             .resumed = true};
}

// The log of a claimed target sets a damaged checkpoint aside when it is read; a newer one it leaves alone.
Error set_aside(Workspace& workspace, const std::filesystem::path& target, const Error& found) {
  auto place = workspace.claim(target);
  if (!place) return place.error();
  const auto restored = place->log->restore();
  return restored ? found : restored.error();
}

class Planner {
 public:
  Planner(const ResumeCommand& command, const StateAccess& state, Workspace& workspace, const Environment& environment)
      : command_(command), state_(state), workspace_(workspace), environment_(environment) {}

  void add(const std::filesystem::path& target) {
    const auto checkpoint = read_checkpoint(state_.files, target);
    if (!checkpoint && checkpoint.error().fault == Fault::state)
      return refuse(target, set_aside(workspace_, target, checkpoint.error()));
    if (!checkpoint) return refuse(target, checkpoint.error());
    if (!checkpoint->has_value()) return refuse(target, Error{Fault::refused, "there is no such unfinished download"});
    auto job = job_from((*checkpoint)->progress.facts, target, command_.run, state_.current, environment_);
    if (!job) return refuse(target, job.error());
    // A run that may replace the target is gone on with as it began.
    job->shape.force = job->shape.force || command_.force;
    plan_.jobs.push_back(std::move(*job));
  }

  // Whether there is anything for `--all` to do here.
  bool is_due(const std::filesystem::path& target) {
    const auto owner = running_owner(state_.files, state_.processes, target);
    if (owner && owner->has_value()) return false;
    const auto checkpoint = read_checkpoint(state_.files, target);
    if (!checkpoint || checkpoint->has_value()) return true;
    // Should the removal fail, the entry is met again the next time, and nothing is lost.
    if (auto removed = state_.registry->remove(target); !removed) refuse(target, removed.error());
    return false;
  }

  ResumePlan take() { return std::move(plan_); }

 private:
  void refuse(const std::filesystem::path& target, Error error) {
    plan_.failures.emplace_back(target, std::move(error));
  }

  const ResumeCommand& command_;
  const StateAccess& state_;
  Workspace& workspace_;
  const Environment& environment_;
  ResumePlan plan_;
};

}  // namespace

Result<ResumePlan> plan_resume(const ResumeCommand& command, const StateAccess& state, Workspace& workspace,
                               const Environment& environment) {
  Planner planner(command, state, workspace, environment);
  std::set<std::filesystem::path> named;
  for (const auto& text : command.targets) {
    const auto target = absolute_target(state.current, text);
    if (named.insert(target).second) planner.add(target);
  }
  if (!command.all || state.registry == nullptr) return planner.take();
  const auto listing = state.registry->targets();
  if (!listing) return pass_on(listing.error());
  for (const auto& entry : listing->entries)
    if (planner.is_due(entry.target)) planner.add(entry.target);
  auto plan = planner.take();
  plan.notes = listing->notes;
  return plan;
}

}  // namespace arkvory::cli
