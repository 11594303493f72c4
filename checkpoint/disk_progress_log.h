// SPDX-License-Identifier: Apache-2.0
// The ProgressLog on disk: one checkpoint, replaced whole each time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "checkpoint/checkpoint.h"
#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "checkpoint/target_lock.h"
#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/engine/progress_log.h"

namespace arkvory {

class DiskProgressLog final : public ProgressLog {
 public:
  struct World {
    FileSystem& files;
    const Clock& clock;
    ProcessTable& processes;
    Registry* registry;
  };

  DiskProgressLog(const World& world, std::filesystem::path target, TargetLock lock);
  // Removes the part file where the claim left nothing in it.
  ~DiskProgressLog() override;
  DiskProgressLog(const DiskProgressLog&) = delete;
  DiskProgressLog& operator=(const DiskProgressLog&) = delete;

  Result<std::optional<SavedProgress>> restore() override;
  Result<void> record(const DownloadFacts& facts, const SyncedRanges& held) override;
  Result<void> forget() override;

 private:
  Result<void> ready_to_write();
  Result<void> set_damaged_aside();

  World world_;
  std::filesystem::path target_;
  std::shared_ptr<File> part_;  // keeps the lock for as long as the log lives
  // The checkpoint that the claim found under the lock: the first look needs no other, unless something was written.
  std::optional<Checkpoint> found_;
  bool is_found_current_ = true;
  std::optional<Error> damage_;  // of the checkpoint that was found, until it is set aside
  std::optional<Error> newer_;   // for good: such a checkpoint is not touched
  bool is_registered_ = false;
};

}  // namespace arkvory
