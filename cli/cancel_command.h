// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cli/environment.h"
#include "cli/state_access.h"
#include "core/http/transport.h"

namespace arkvory::cli {

// Asks the user a question that is answered by yes or no.
using Question = std::function<bool(const std::string& question)>;

enum class Cancelled { yes, kept };

// What tells the server of a download that it is over: nothing where its answers did not show that it understands that.
// Fault::auth where it can't be told who asks. To be taken before `cancel`, which removes what it is made from.
Result<std::optional<Request>> release_for(const StateAccess& state, const std::filesystem::path& target,
                                           const Environment& environment);

// Forgets one unfinished download: its part files, its checkpoint and its entry in the registry, nothing else.
// Fault::refused where there is none, Fault::locked where it is running. `ask` is empty where there is nobody to ask
// and nothing to be asked (--yes).
Result<Cancelled> cancel(const StateAccess& state, const std::filesystem::path& target, const Question& ask);

}  // namespace arkvory::cli
