// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/text_output.h"

namespace arkvory::cli {

// Puts a question on `out` and reads a line from a descriptor: true for `y` or `yes` in any case. No answer is no.
bool answers_yes(const std::string& question, TextOutput& out, int input);

// An answer means yes.
bool means_yes(std::string_view answer);

}  // namespace arkvory::cli
