// SPDX-License-Identifier: Apache-2.0
// `arkvory-stub simulate`: a scenario from a file, what came of it to stdout and to files.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"
#include "server-stub/simulate/sweep.h"

namespace arkvory::server {

struct SimulateOptions {
  std::filesystem::path scenario;  // `-`: standard input
  std::filesystem::path events{};  // empty: none are written
  std::filesystem::path plot{};    // likewise
  bool is_json = false;
  std::optional<Sweep> sweep{};
};

// Fault::usage for a bad scenario, with the JSON Pointer of the fault; Fault::local for files and stdout.
Result<void> run_simulate(const SimulateOptions& options);

}  // namespace arkvory::server
