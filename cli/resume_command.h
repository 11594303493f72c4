// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "cli/environment.h"
#include "cli/options.h"
#include "cli/state_access.h"
#include "core/engine/job.h"
#include "core/engine/progress_log.h"

namespace arkvory::cli {

// What `resume` will go on with, and the targets that it can't: each with its reason.
struct ResumePlan {
  std::vector<Job> jobs{};
  std::vector<std::pair<std::filesystem::path, Error>> failures{};
  std::vector<std::string> notes{};  // what the registry could not tell
};

// Makes jobs again from the checkpoints of the targets named. A target without one is Fault::refused; a damaged
// checkpoint is Fault::state and is set aside through `workspace`, a newer one stays untouched. With --all, which takes
// what the registry names: running downloads are passed over, entries with nothing behind them are removed. Fails as a
// whole only where the registry can't be read.
Result<ResumePlan> plan_resume(const ResumeCommand& command, const StateAccess& state, Workspace& workspace,
                               const Environment& environment);

}  // namespace arkvory::cli
