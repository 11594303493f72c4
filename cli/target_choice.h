// SPDX-License-Identifier: Apache-2.0
// Where a file is to stand: what -o and -d mean, judged before anything is requested.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory::cli {

struct TargetChoice {
  std::filesystem::path folder;  // absolute, without symlinks; it exists
  std::string name{};            // empty: named by the answer
};

// The target for `output` (-o) or `folder` (-d), or the current folder for neither. Fault::local where the folder is
// missing or no folder, or where what is at the target can't become a file: a folder, symlink, FIFO or device, or a
// name too long for the files beside it.
Result<TargetChoice> choose_target(FileSystem& files, const std::filesystem::path& current,
                                   const std::optional<std::string>& output, const std::optional<std::string>& folder);

// A target that the user names to `resume`, `cancel` or `verify`, as absolute path. It need not exist.
std::filesystem::path absolute_target(const std::filesystem::path& current, const std::string& target);

}  // namespace arkvory::cli
