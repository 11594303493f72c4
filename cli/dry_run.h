// SPDX-License-Identifier: Apache-2.0
// --dry-run: what would be done, found out without asking the network and without changing anything on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/owner.h"
#include "cli/exit_status.h"
#include "core/base/file_system.h"
#include "core/engine/batch.h"

namespace arkvory::cli {

// One job, or an entry of a list that none comes of.
struct Plan {
  std::filesystem::path target;
  bool is_guessed = false;  // the server may name it otherwise
  std::optional<Job> job{};
  std::uint64_t bytes = 0;  // held
  std::optional<std::uint64_t> total{};
  bool is_to_compare = false;      // something stands there that the digest will judge
  bool is_done = false;            // by an earlier run of the same list
  std::optional<Error> failure{};  // that would come at once
};

Plan plan_of(Job job, FileSystem& files, ProcessTable& processes);
Plan plan_of(const supply::Settled& settled);

// Each plan of a source, as far as it can be read without waiting for long.
void each_plan(JobSource& source, FileSystem& files, ProcessTable& processes,
               const std::function<void(const Plan&)>& tell);

// `TARGET: would …`, without a line end.
std::string plan_sentence(const Plan& plan, const std::filesystem::path& current);
// A JSON line, event `plan`, with its end.
std::string plan_event(const Plan& plan, WallTime now);

}  // namespace arkvory::cli
