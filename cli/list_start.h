// SPDX-License-Identifier: Apache-2.0
// What is done about a list (-i) before anything of it begins.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/owner.h"
#include "cli/list_file.h"
#include "cli/list_progress.h"
#include "cli/options.h"
#include "core/base/file_system.h"

namespace arkvory::cli {

struct OpenedList {
  ListFile file;
  std::optional<ListProgress> progress{};  // none for a list that can't be read again, or without a state folder
  std::vector<std::string> notes{};        // what the user should know of the record that was found
};

struct ListWorld {
  FileSystem& files;
  ProcessTable& processes;
  const Clock& clock;
  const std::filesystem::path& current;
  std::optional<std::filesystem::path> state_folder{};
};

// Opens the list of `command`, whose targets go into `folder`, and takes up what earlier runs have done of it: not with
// --no-resume, nor where the list was changed since. Fault::usage where it can't be opened, Fault::locked where another
// process works on it, Fault::state where its record is of a newer version. With --dry-run nothing is claimed.
Result<OpenedList> open_list(const DownloadCommand& command, const std::filesystem::path& folder,
                             const ListWorld& world);

}  // namespace arkvory::cli
