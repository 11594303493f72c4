// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "cli/environment.h"

namespace arkvory::cli {

// Where the registry is kept: `option` (--state-dir, from `current` where relative), STATE_DIRECTORY (systemd; the
// first of several), XDG_STATE_HOME/arkvory, HOME/.local/state/arkvory. Relative values of variables are ignored, as
// the XDG base directory specification says. Nothing where none of them is set: the program works without a registry.
std::optional<std::filesystem::path> state_folder(const std::filesystem::path& option,
                                                  const std::filesystem::path& current, const Environment& environment);

}  // namespace arkvory::cli
