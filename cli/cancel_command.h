// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/state_access.h"

namespace arkvory::cli {

// Asks the user a question that is answered by yes or no.
using Question = std::function<bool(const std::string& question)>;

enum class Cancelled { yes, kept };

// Forgets one unfinished download: its part files, its checkpoint and its entry in the registry, nothing else.
// Fault::refused where there is none, Fault::locked where it is running. `ask` is empty where there is nobody to ask
// and nothing to be asked (--yes).
Result<Cancelled> cancel(const StateAccess& state, const std::filesystem::path& target, const Question& ask);

}  // namespace arkvory::cli
