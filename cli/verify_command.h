// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory::cli {

// Checks a finished file against `sha256`, or else an unfinished one's blocks against its checkpoint. Returns what was
// found right, for people. Fault::integrity where something is wrong, damaged blocks named; Fault::refused where there
// is neither file nor checkpoint; Fault::usage where a finished file has no digest to be checked against.
Result<std::string> verify(FileSystem& files, const std::filesystem::path& target,
                           const std::optional<Sha256Digest>& sha256);

}  // namespace arkvory::cli
