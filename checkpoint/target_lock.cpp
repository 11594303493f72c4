// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/target_lock.h"

#include "core/engine/file_names.h"
#include "core/engine/part_file.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

// How often the name may come to mean another file between opening and locking before that is no accident.
constexpr int kMostTries = 100;

std::string owner_words(ProcessTable& processes, std::int64_t pid) {
  if (pid == processes.self().pid) return "this run works on it already";
  return "the process with pid " + std::to_string(pid) + " works on it";
}

tl::unexpected<Error> locked(const fs::path& target, const std::string& by) {
  return fail(Fault::locked, "cannot begin " + target.string() + ": " + by);
}

tl::unexpected<Error> locked_by_someone(FileSystem& files, ProcessTable& processes, const fs::path& target,
                                        const std::string& identity) {
  const auto checkpoint = read_checkpoint(files, target);
  if (checkpoint && *checkpoint && (*checkpoint)->says_running() && is_alive(processes, (*checkpoint)->writer))
    return locked(target, owner_words(processes, (*checkpoint)->writer.pid));
  if (const auto holder = processes.lock_holder(identity)) return locked(target, owner_words(processes, *holder));
  return locked(target, "another process works on it");
}

// Open and locked, or null where the name came to mean another file meanwhile: the one who had the lock has finished.
// Likewise where it was the target's second name.
Result<std::shared_ptr<File>> try_once(FileSystem& files, ProcessTable& processes, const fs::path& target) {
  const auto path = part_path(target);
  auto part = files.open_or_create(path, Access::owner_only);
  if (!part) return pass_on(part.error());
  auto identity = (*part)->identity();
  if (!identity) return pass_on(identity.error());
  auto got = (*part)->try_lock();
  if (!got) return pass_on(got.error());
  auto named = files.status(path);
  if (!named) return pass_on(named.error());
  if (!*named || (*named)->identity != *identity) return std::shared_ptr<File>();
  if (!*got) return locked_by_someone(files, processes, target, *identity);
  auto renamed = finish_rename(files, path, **named, target);
  if (!renamed) return pass_on(renamed.error());
  if (*renamed) return std::shared_ptr<File>();
  return std::move(*part);
}

// Removes a part file that is empty and still under its name.
Result<void> remove_if_empty(FileSystem& files, const fs::path& target, File& part) {
  auto size = part.size();
  if (!size) return pass_on(size.error());
  if (*size > 0) return {};
  auto identity = part.identity();
  if (!identity) return pass_on(identity.error());
  auto named = files.status(part_path(target));
  if (!named) return pass_on(named.error());
  if (!*named || (*named)->identity != *identity) return {};
  return files.remove(part_path(target));
}

// A word about a run that ended without saying so, where it was not simply killed.
std::optional<std::string> takeover_note(ProcessTable& processes, const Checkpoint& checkpoint) {
  const auto& writer = checkpoint.writer;
  const auto self = processes.self();
  if (!checkpoint.says_running() || writer == self || self.boot_id.empty()) return std::nullopt;
  const auto pid = "pid " + std::to_string(writer.pid);
  if (writer.boot_id != self.boot_id)
    return "took over from a run (" + pid + ") of before the last start of this machine, or on another one";
  const auto start_time = processes.start_time(writer.pid);
  if (start_time && *start_time != writer.start_time)
    return "took over from a run that is gone (its " + pid + " belongs to another process now)";
  return std::nullopt;
}

}  // namespace

Result<TargetLock> lock_target(FileSystem& files, ProcessTable& processes, const fs::path& target) {
  std::shared_ptr<File> part;
  for (int tries = 0; part == nullptr; ++tries) {
    if (tries == kMostTries) return locked(target, "its part file is replaced again and again");
    auto tried = try_once(files, processes, target);
    if (!tried) return pass_on(tried.error());
    part = std::move(*tried);
  }
  auto found = find_checkpoint(files, target);
  if (!found) return pass_on(found.error());
  TargetLock lock{std::move(part), std::move(*found)};
  if (!lock.found.checkpoint) return lock;
  const auto& checkpoint = *lock.found.checkpoint;
  const bool is_ours = checkpoint.writer == processes.self();
  if (checkpoint.says_running() && !is_ours && is_alive(processes, checkpoint.writer)) {
    // An empty part file beside a record of bytes is not the writer's, which has just taken its final name: it is ours.
    if (!checkpoint.progress.claimed.empty())
      if (auto removed = remove_if_empty(files, target, *lock.part); !removed) return pass_on(removed.error());
    return locked(target, owner_words(processes, checkpoint.writer.pid));
  }
  if (auto note = takeover_note(processes, checkpoint)) lock.notes.push_back(std::move(*note));
  return lock;
}

Result<void> remove_if_unused(FileSystem& files, const fs::path& target, File& part) {
  auto size = part.size();
  if (!size) return pass_on(size.error());
  if (*size > 0) return {};  // mostly the finished file: nothing is asked by name then
  auto checkpoint = files.status(checkpoint_path(target));
  if (!checkpoint) return pass_on(checkpoint.error());
  return *checkpoint ? Result<void>() : remove_if_empty(files, target, part);
}

}  // namespace arkvory
