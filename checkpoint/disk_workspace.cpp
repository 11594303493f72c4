// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/disk_workspace.h"

#include "checkpoint/disk_progress_log.h"
#include "checkpoint/target_lock.h"
#include "core/base/ensure.h"
#include "core/engine/file_names.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostGenerations = 3;

Result<bool> exists(FileSystem& files, const fs::path& path) {
  auto found = files.status(path);
  if (!found) return pass_on(found.error());
  return found->has_value();
}

// There is something of an unfinished download beside the target.
Result<bool> has_state(FileSystem& files, const fs::path& target) {
  auto found = exists(files, checkpoint_path(target));
  for (unsigned generation = 1; found && !*found && generation <= kMostGenerations; ++generation)
    found = exists(files, part_path(target, generation));
  return found;
}

Result<void> remove_parts(FileSystem& files, const fs::path& target) {
  // The first generation's last: it carries the lock.
  for (unsigned generation = kMostGenerations; generation >= 1; --generation)
    if (auto removed = files.remove(part_path(target, generation)); !removed) return removed;
  return files.sync_folder(target.parent_path());
}

Result<bool> is_registered(Registry* registry, const fs::path& target) {
  if (registry == nullptr) return false;
  auto listing = registry->targets();
  if (!listing) return pass_on(listing.error());
  for (const auto& entry : listing->entries)
    if (entry.target == target) return true;
  return false;
}

}  // namespace

Result<Place> DiskWorkspace::claim(const fs::path& target) {
  ensure(target.is_absolute(), "a target is claimed by its absolute path");
  auto lock = lock_target(files_, processes_, target);
  if (!lock) return pass_on(lock.error());
  auto part = lock->part;
  auto notes = std::move(lock->notes);
  const DiskProgressLog::World world{files_, clock_, processes_, registry_};
  auto log = std::make_unique<DiskProgressLog>(world, target, std::move(*lock));
  // What a crash in the middle of a replacement left; nobody else writes here now.
  if (auto removed = files_.remove(aside_path(checkpoint_path(target))); !removed) return pass_on(removed.error());
  return Place{target, std::move(part), std::move(log), std::move(notes)};
}

Result<void> discard(FileSystem& files, ProcessTable& processes, Registry* registry, const fs::path& target) {
  ensure(target.is_absolute(), "a target is discarded by its absolute path");
  auto found = has_state(files, target);
  if (!found) return pass_on(found.error());
  if (!*found) {
    auto registered = is_registered(registry, target);
    if (!registered) return pass_on(registered.error());
    if (*registered) return registry->remove(target);
    return fail(Fault::refused, "there is no unfinished download of " + target.string());
  }
  auto lock = lock_target(files, processes, target);
  if (!lock) return pass_on(lock.error());
  if (lock->found.newer) return pass_on(*lock->found.newer);
  const auto path = checkpoint_path(target);
  if (auto removed = files.remove(aside_path(path)); !removed) return removed;
  if (auto removed = files.remove(path); !removed) return removed;
  if (auto synced = files.sync_folder(path.parent_path()); !synced) return synced;
  if (auto removed = remove_parts(files, target); !removed) return removed;
  return registry == nullptr ? Result<void>() : registry->remove(target);
}

}  // namespace arkvory
