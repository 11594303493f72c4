// SPDX-License-Identifier: Apache-2.0
// The engine's Workspace on disk: claims a target by its lock, keeps its state in `NAME.arkvory`, names it in the
// registry.
#pragma once

#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/engine/progress_log.h"

namespace arkvory {

class DiskWorkspace final : public Workspace {
 public:
  // All of them outlive the workspace and its places. Without a registry nothing is listed.
  DiskWorkspace(FileSystem& files, const Clock& clock, ProcessTable& processes, Registry* registry)
      : files_(files), clock_(clock), processes_(processes), registry_(registry) {}

  // `target` is absolute.
  Result<Place> claim(const std::filesystem::path& target) override;

 private:
  FileSystem& files_;
  const Clock& clock_;
  ProcessTable& processes_;
  Registry* registry_;
};

// Forgets an unfinished download, for `cancel`: removes its checkpoint, then its part files of all generations, then
// its registry entry. Stopped anywhere in between, it can be called again, and what is left never claims bytes that are
// gone. What was set aside as damaged stays. Fault::refused where there is no such download, Fault::locked where it is
// running, Fault::state where its checkpoint is of a newer version (then nothing is touched).
Result<void> discard(FileSystem& files, ProcessTable& processes, Registry* registry,
                     const std::filesystem::path& target);

}  // namespace arkvory
