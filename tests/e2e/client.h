// SPDX-License-Identifier: Apache-2.0
// The real arkvoryctl as a test runs it: in a folder of its own, with a state folder beside it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/interval_set.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace arkvory::test {

// Where a client works: `files` is its current folder and holds nothing but what it puts there.
class ClientFolder {
 public:
  ClientFolder();

  std::filesystem::path file(const std::string& name) const { return files() / name; }
  std::filesystem::path files() const { return folder_ / "files"; }
  // A folder beside `files` for what a test serves or notes.
  std::filesystem::path beside(const std::string& name) const { return folder_ / name; }
  std::set<std::string> names() const;

  // `arkvoryctl COMMAND --state-dir … ARGUMENTS…`, to be started in `files`.
  std::vector<std::string> command(const std::string& name, const std::vector<std::string>& arguments) const;
  ProcessOptions options() const;
  Finished run(const std::string& name, const std::vector<std::string>& arguments) const;

  // What `list --json` tells, an object each.
  std::vector<nlohmann::json> list() const;

 private:
  TempFolder folder_;
};

// The little that a test reads of a checkpoint (checkpoint/FORMAT.md).
struct Claim {
  std::string id;
  IntervalSet synced;
};
std::optional<Claim> claim_of(const std::filesystem::path& target);

std::vector<std::string> lines_of(const std::string& text);
std::string hex_sha256(std::span<const std::byte> bytes);
void put(const std::filesystem::path& path, std::span<const std::byte> bytes);
bool holds(const std::filesystem::path& path, std::span<const std::byte> bytes);

// The next JSON event of a running client that is called `name`; nothing where none comes in time.
std::optional<nlohmann::json> next_event(Process& client, const std::string& name,
                                         std::chrono::milliseconds patience = std::chrono::seconds(30));
// The same for a `progress` that tells at least `bytes`.
std::optional<nlohmann::json> next_progress(Process& client, std::uint64_t bytes);

}  // namespace arkvory::test
