// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/state_access.h"
#include "cli/text_output.h"

namespace arkvory::cli {

enum class UnfinishedState { running, paused, damaged };

// One unfinished download.
struct Unfinished {
  std::filesystem::path target;
  UnfinishedState state = UnfinishedState::paused;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> total{};
  std::optional<std::uint64_t> position{};  // in the server's queue, by its last answer
  std::optional<WallTime> starts_at{};
  std::string url{};         // as it may be shown
  std::string last_error{};  // of a damaged one: what is wrong with its checkpoint
};

struct UnfinishedList {
  std::vector<Unfinished> downloads{};
  std::vector<std::string> notes{};  // what the registry could not tell
};

// What the registry names and what is still there, in the registry's order.
Result<UnfinishedList> unfinished_downloads(const StateAccess& state);

// A JSON object and a line's end.
std::string list_line(const Unfinished& unfinished);

// A table for people, in columns; nothing for an empty list. `now` tells how times are best shown.
std::string list_table(const std::vector<Unfinished>& list, WallTime now);

}  // namespace arkvory::cli
