// SPDX-License-Identifier: Apache-2.0
// Chooses the views of a run and owns them.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "cli/environment.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/engine/status.h"

namespace arkvory::cli {

// What people are shown while a download runs.
enum class ProgressKind { bar, plain, none };

// The bar needs a terminal that can redraw, and stands aside for what -v prints; with --json there is no progress on
// standard error unless it is asked for.
ProgressKind progress_kind(const ViewOptions& options, const Environment& environment, bool terminal);

class Views {
 public:
  Views(const ViewOptions& options, const Environment& environment, const Clock& clock,
        const std::filesystem::path& current, TextOutput& standard_output, Terminal& standard_error, bool terminal);

  Status& status() { return *shown_; }

 private:
  std::unique_ptr<Status> for_people_;
  std::unique_ptr<Status> for_programs_;
  std::unique_ptr<Status> both_;
  Status* shown_;
};

}  // namespace arkvory::cli
