// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/options.h"
#include "core/engine/batch.h"

namespace arkvory::cli {

// How a run over several downloads ended.
struct RunEnd {
  ExitStatus status = ExitStatus::ok;
  int signal = 0;  // it ended by this signal
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::size_t unbegun = 0;  // of the jobs given, those that the failure of another kept from beginning
};

// Runs the jobs in their order, then those of `further`, where there are such; their numbers are above 0. `earlier` are
// failures that came before anything could run; they count for the status.
RunEnd run_jobs(const Platform& platform, std::vector<Job> jobs, unsigned at_once, bool keep_going,
                std::vector<Fault> earlier = {}, JobSource* further = nullptr);

// The closing line of a run over a list: how many ended how, and how to go on. `unbegun`: nothing where that is not
// known.
std::string list_summary(const std::string& list, const RunEnd& end, std::uint64_t done_earlier,
                         const std::optional<std::uint64_t>& unbegun);

}  // namespace arkvory::cli
