// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/exit_status.h"
#include "cli/options.h"
#include "core/engine/batch.h"

namespace arkvory::cli {

// How a run over several downloads ended.
struct RunEnd {
  ExitStatus status = ExitStatus::ok;
  int signal = 0;           // it ended by this signal
  std::size_t unbegun = 0;  // downloads that the failure of another kept from beginning
};

// Runs the jobs in their order. `earlier` are failures that came before anything could run; they count for the status.
RunEnd run_jobs(const Platform& platform, std::vector<Job> jobs, unsigned at_once, bool keep_going,
                std::vector<Fault> earlier = {});

}  // namespace arkvory::cli
