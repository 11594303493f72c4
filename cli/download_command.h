// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "cli/environment.h"
#include "cli/options.h"
#include "cli/target_choice.h"
#include "core/base/file_system.h"
#include "core/engine/job.h"

namespace arkvory::cli {

// Where the files of `download` go, everything about it judged that can be before the first request.
Result<TargetChoice> download_target(const DownloadCommand& command, FileSystem& files,
                                     const std::filesystem::path& current);

// The jobs for the URLs on the command line.
Result<std::vector<Job>> download_jobs(const DownloadCommand& command, const TargetChoice& target,
                                       const std::filesystem::path& current, const Environment& environment);

// What --not-before and --not-after mean at `now`: an HH:MM for the deadline is the first one after the beginning.
// Fault::usage where that is outside of all calendars, or nothing lies between the two.
Result<void> resolve_moments(DownloadCommand& command, WallTime now, const LocalClock& zone);

// The token comes from ARKVORY_TOKEN alone, so that a resume at boot will not have it.
bool token_is_not_kept(const DownloadCommand& command, const Environment& environment);

}  // namespace arkvory::cli
