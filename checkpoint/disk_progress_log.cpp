// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/disk_progress_log.h"

#include <utility>

#include "checkpoint/checkpoint.h"
#include "core/engine/file_names.h"

namespace arkvory {

DiskProgressLog::DiskProgressLog(const World& world, std::filesystem::path target, TargetLock lock)
    : world_(world),
      target_(std::move(target)),
      part_(std::move(lock.part)),
      found_(std::move(lock.found.checkpoint)),
      damage_(std::move(lock.found.damage)),
      newer_(std::move(lock.found.newer)) {}

DiskProgressLog::~DiskProgressLog() {
  try {
    // What can't be removed now is taken by the next claim.
    (void)remove_if_unused(world_.files, target_, *part_);
  } catch (...) {
    // A destructor lets nothing out; there is nobody left to tell.
  }
}

Result<std::optional<SavedProgress>> DiskProgressLog::restore() {
  if (newer_) return pass_on(*newer_);
  if (damage_) {
    auto damage = *damage_;
    if (auto aside = set_damaged_aside(); !aside) return pass_on(aside.error());
    damage.words += "; it is now " + bad_checkpoint_path(target_).string();
    return pass_on(std::move(damage));
  }
  if (std::exchange(is_found_current_, false)) {
    auto found = std::exchange(found_, std::nullopt);
    return found ? std::optional<SavedProgress>(std::move(found->progress)) : std::nullopt;
  }
  auto checkpoint = read_checkpoint(world_.files, target_);
  if (!checkpoint) return pass_on(checkpoint.error());
  if (!*checkpoint) return std::optional<SavedProgress>();
  return std::optional<SavedProgress>(std::move((*checkpoint)->progress));
}

Result<void> DiskProgressLog::record(const DownloadFacts& facts, const SyncedRanges& held) {
  if (auto ready = ready_to_write(); !ready) return ready;
  const auto now = world_.clock.wall_now();
  // Listed before it is there: an entry without a checkpoint does no harm, but a download that is not listed would not
  // be resumed.
  if (world_.registry != nullptr && !is_registered_) {
    if (auto added = world_.registry->add(target_, now); !added) return added;
    is_registered_ = true;
  }
  const Checkpoint checkpoint{SavedProgress{facts, held.ranges(), held.blocks()}, world_.processes.self(), now};
  const auto text = encode_checkpoint(checkpoint);
  if (text.size() > kLargestCheckpoint)
    return fail(Fault::internal, "the checkpoint of " + target_.string() + " would be too large");
  return world_.files.replace_durably(checkpoint_path(target_), std::as_bytes(std::span(text)));
}

Result<void> DiskProgressLog::forget() {
  if (auto ready = ready_to_write(); !ready) return ready;
  const auto path = checkpoint_path(target_);
  if (auto removed = world_.files.remove(aside_path(path)); !removed) return removed;
  if (auto removed = world_.files.remove(path); !removed) return removed;
  if (auto synced = world_.files.sync_folder(path.parent_path()); !synced) return synced;
  if (world_.registry == nullptr) return {};
  is_registered_ = false;
  return world_.registry->remove(target_);
}

// What must not be lost is out of the way.
Result<void> DiskProgressLog::ready_to_write() {
  is_found_current_ = false;
  found_.reset();
  if (newer_) return pass_on(*newer_);
  if (damage_) return set_damaged_aside();
  return {};
}

Result<void> DiskProgressLog::set_damaged_aside() {
  const auto path = checkpoint_path(target_);
  if (auto renamed = world_.files.rename(path, bad_checkpoint_path(target_)); !renamed) return renamed;
  damage_.reset();
  return world_.files.sync_folder(path.parent_path());
}

}  // namespace arkvory
