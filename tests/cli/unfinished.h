// SPDX-License-Identifier: Apache-2.0
// An unfinished download on disk, as a run that ended left it.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/disk_workspace.h"
#include "cli/state_access.h"
#include "core/engine/file_names.h"
#include "tests/support/temp_folder.h"

namespace arkvory::test {

// This process and one other.
class TwoProcesses final : public ProcessTable {
 public:
  Owner self() override { return {.pid = 100, .boot_id = "boot", .start_time = 7}; }
  static Owner other() { return {.pid = 200, .boot_id = "boot", .start_time = 9}; }
  std::optional<std::uint64_t> start_time(std::int64_t pid) override {
    if (pid == 100) return 7;
    if (pid == other().pid) return other().start_time;
    return std::nullopt;
  }
  std::optional<std::int64_t> lock_holder(const std::string&) override { return std::nullopt; }
};

struct StateFolder {
  TempFolder folder;
  PosixFileSystem files;
  SystemClock clock;
  TwoProcesses processes;
  std::filesystem::path current = std::filesystem::canonical(folder.path());
  Registry registry{files, current / "state"};
  DiskWorkspace workspace{files, clock, processes, &registry};
  cli::StateAccess access{files, processes, &registry, current};

  std::filesystem::path target(const std::string& name) const { return current / name; }

  static DownloadFacts facts() {
    DownloadFacts facts{.id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA"),
                        .url = *Url::parse("https://example.org/a?sig=secret")};
    facts.shape.connections = 9;
    facts.object = RemoteObject{.size = 100};
    facts.last_error = "connection reset";
    return facts;
  }

  // A part file with these bytes and a checkpoint that claims them.
  void leave(const std::string& name, const std::string& bytes, DownloadFacts facts) {
    std::ofstream(part_path(target(name))) << bytes;
    Checkpoint checkpoint{.progress = {.facts = std::move(facts)},
                          .writer = {.pid = 5, .boot_id = "boot", .start_time = 1}};
    if (!bytes.empty()) checkpoint.progress.claimed.add(ByteRange(0, bytes.size()));
    if (bytes.size() == checkpoint.progress.facts.object->size)
      checkpoint.progress.blocks[0] = xxh3(std::as_bytes(std::span(bytes)));
    std::ofstream(checkpoint_path(target(name))) << encode_checkpoint(checkpoint);
    REQUIRE(registry.add(target(name), clock.wall_now()));
  }
  void leave(const std::string& name, const std::string& bytes) { leave(name, bytes, facts()); }

  bool exists(const std::filesystem::path& path) const { return std::filesystem::exists(path); }
};

}  // namespace arkvory::test
