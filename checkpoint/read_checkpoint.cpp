// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/read_checkpoint.h"

#include "core/engine/file_names.h"

namespace arkvory {

Result<FoundCheckpoint> find_checkpoint(FileSystem& files, const std::filesystem::path& target) {
  const auto path = checkpoint_path(target);
  auto found = files.status(path);
  if (!found) return pass_on(found.error());
  if (!*found) return FoundCheckpoint{};
  if ((*found)->kind == FileKind::regular && (*found)->size > kLargestCheckpoint)
    return FoundCheckpoint{{},
                           Error{Fault::state, "the checkpoint " + path.string() + " is damaged", "it is too large"}};
  auto text = read_whole(files, path, kLargestCheckpoint);
  if (!text) return pass_on(text.error());
  if (!*text) return FoundCheckpoint{};
  auto checkpoint = decode_checkpoint(**text, path.string());
  if (checkpoint) return FoundCheckpoint{std::move(*checkpoint)};
  if (is_newer_checkpoint(**text)) return FoundCheckpoint{{}, {}, checkpoint.error()};
  return FoundCheckpoint{{}, checkpoint.error()};
}

Result<std::optional<Checkpoint>> read_checkpoint(FileSystem& files, const std::filesystem::path& target) {
  auto found = find_checkpoint(files, target);
  if (!found) return pass_on(found.error());
  if (found->damage) return pass_on(*found->damage);
  if (found->newer) return pass_on(*found->newer);
  return std::move(found->checkpoint);
}

Result<std::optional<Owner>> running_owner(FileSystem& files, ProcessTable& processes,
                                           const std::filesystem::path& target) {
  auto checkpoint = read_checkpoint(files, target);
  if (!checkpoint && checkpoint.error().fault != Fault::state) return pass_on(checkpoint.error());
  if (checkpoint && *checkpoint && (*checkpoint)->says_running() && is_alive(processes, (*checkpoint)->writer))
    return std::optional<Owner>((*checkpoint)->writer);
  auto part = files.status(part_path(target));
  if (!part) return pass_on(part.error());
  if (!*part) return std::optional<Owner>();
  const auto holder = processes.lock_holder((*part)->identity);
  if (!holder) return std::optional<Owner>();
  return std::optional<Owner>(Owner{*holder, processes.self().boot_id, processes.start_time(*holder).value_or(0)});
}

}  // namespace arkvory
