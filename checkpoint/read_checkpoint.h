// SPDX-License-Identifier: Apache-2.0
// Looking at a download's state without claiming it: for `list`, and for whoever finds the lock taken.
#pragma once

#include <filesystem>
#include <optional>

#include "checkpoint/checkpoint.h"
#include "checkpoint/owner.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory {

// What was found beside a target: at most one of the three.
struct FoundCheckpoint {
  std::optional<Checkpoint> checkpoint{};
  std::optional<Error> damage{};  // Fault::state: it can't be trusted
  std::optional<Error> newer{};   // Fault::state: it is not to be touched
};

// Fault::local where it can't be read; sets nothing aside.
Result<FoundCheckpoint> find_checkpoint(FileSystem& files, const std::filesystem::path& target);

// The checkpoint beside `target`, or nothing. Fault::state where it is damaged or newer, Fault::local where it can't
// be read; sets nothing aside.
Result<std::optional<Checkpoint>> read_checkpoint(FileSystem& files, const std::filesystem::path& target);

// The process that works on `target` now: the checkpoint's writer where it still lives and its run has not ended,
// else who holds the lock on the part file as far as the system tells; nothing where nobody is known to. Takes no lock,
// so that it never keeps a download from beginning. A damaged or newer checkpoint is no failure here.
Result<std::optional<Owner>> running_owner(FileSystem& files, ProcessTable& processes,
                                           const std::filesystem::path& target);

}  // namespace arkvory
