// SPDX-License-Identifier: Apache-2.0
#include "cli/verify_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "checkpoint/read_checkpoint.h"
#include "core/base/size.h"
#include "core/engine/block_check.h"
#include "core/engine/file_names.h"
#include "core/engine/verified_file.h"

namespace arkvory::cli {

namespace {

Result<std::string> verify_finished(FileSystem& files, const std::filesystem::path& target,
                                    const Sha256Digest& expected) {
  auto file = files.open_to_read(target);
  if (!file) return pass_on(file.error());
  if (!*file) return fail(Fault::refused, "there is no such file");
  const auto found = sha256_of(**file);
  if (!found) return pass_on(found.error());
  if (*found != expected) return fail(Fault::integrity, fmt::format("the file's SHA-256 is {}", found->to_hex()));
  return fmt::format("the file's SHA-256 is right: {}", found->to_hex());
}

std::string named_blocks(const std::vector<std::uint64_t>& blocks, std::uint64_t size) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, blocks.size()); ++i) {
    const auto range = block_range(blocks[i], size);
    text += fmt::format("{}{} (bytes {}-{})", i == 0 ? "" : ", ", blocks[i], range.begin(), range.end() - 1);
  }
  return blocks.size() > most ? fmt::format("{} and {} more", text, blocks.size() - most) : text;
}

Result<std::string> verify_unfinished(FileSystem& files, const std::filesystem::path& target,
                                      const SavedProgress& progress) {
  const auto part = part_path(target, progress.facts.generation);
  auto file = files.open_to_read(part);
  if (!file) return pass_on(file.error());
  if (!*file) return fail(Fault::integrity, fmt::format("the part file {} is missing", part.native()));
  const auto held_end = progress.claimed.empty() ? 0 : progress.claimed.ranges().back().end();
  const auto& object = progress.facts.object;
  const auto size = object && object->size ? *object->size : held_end;
  const auto there = (*file)->size();
  if (!there) return pass_on(there.error());
  if (*there < held_end)
    return fail(Fault::integrity, fmt::format("the part file has {} bytes where {} are recorded", *there, held_end));
  const auto damaged = damaged_blocks(**file, progress.claimed, progress.blocks, size);
  if (!damaged) return pass_on(damaged.error());
  if (!damaged->empty()) return fail(Fault::integrity, "damaged blocks: " + named_blocks(*damaged, size));
  return fmt::format("{} complete blocks of the part file are as they were written; {} held", progress.blocks.size(),
                     format_size(progress.claimed.total()));
}

}  // namespace

Result<std::string> verify(FileSystem& files, const std::filesystem::path& target,
                           const std::optional<Sha256Digest>& sha256) {
  const auto there = files.status(target);
  if (!there) return pass_on(there.error());
  if (there->has_value() && (*there)->kind == FileKind::folder) return fail(Fault::local, "it is a folder");
  if (there->has_value() && sha256) return verify_finished(files, target, *sha256);
  const auto checkpoint = read_checkpoint(files, target);
  if (!checkpoint) return pass_on(checkpoint.error());
  if (checkpoint->has_value()) {
    if (sha256) return fail(Fault::integrity, "it is not finished: without --sha256 its blocks are checked");
    return verify_unfinished(files, target, (*checkpoint)->progress);
  }
  if (there->has_value())
    return fail(Fault::usage, "the file is finished and has no checkpoint; --sha256 says what to check it against");
  return fail(Fault::refused, "there is no such file and no such unfinished download");
}

}  // namespace arkvory::cli
