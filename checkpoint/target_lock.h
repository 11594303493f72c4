// SPDX-License-Identifier: Apache-2.0
// One process per target. The lock is on the part file itself; what the checkpoint says about its writer is heard too,
// because flock silently succeeds on some network file systems.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/owner.h"
#include "checkpoint/read_checkpoint.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory {

// A locked target; unlocked with the last reference to `part`.
struct TargetLock {
  std::shared_ptr<File> part;
  FoundCheckpoint found{};           // under the lock
  std::vector<std::string> notes{};  // what was taken over, where that is worth a word
};

// Makes the part file (0600) where there is none. Fault::locked where another process works on the target, its pid
// named where known; Fault::local where that can't be found out.
Result<TargetLock> lock_target(FileSystem& files, ProcessTable& processes, const std::filesystem::path& target);

// Removes the part file of a lock where it is empty, still under its name, and no checkpoint speaks of it: then there
// is nothing in it to go on with. To be called while the lock is held.
Result<void> remove_if_unused(FileSystem& files, const std::filesystem::path& target, File& part);

}  // namespace arkvory
