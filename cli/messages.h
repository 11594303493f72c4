// SPDX-License-Identifier: Apache-2.0
// The sentences in which the program tells how something ended. The only place that makes them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/engine/status.h"

namespace arkvory::cli {

// `TARGET: what happened; what is kept; what to do next`, on one line without control characters.
std::string failure_message(std::string_view target, const Outcome& outcome);

// The same without the target, as `message` of a JSON result.
std::string failure_sentence(const Outcome& outcome);

// `TARGET: 2.0 GiB in 3 min at 11.2 MiB/s, SHA-256 verified`.
std::string success_message(std::string_view target, const Outcome& outcome);
std::string success_sentence(const Outcome& outcome);

// `arkvoryctl: text` as one printable line with its end.
std::string program_line(std::string_view text);

// A target as people are shown it: its name alone where it stands in the current folder.
std::string shown_target(const std::filesystem::path& target, const std::filesystem::path& current);

}  // namespace arkvory::cli
