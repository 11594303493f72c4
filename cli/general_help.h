// SPDX-License-Identifier: Apache-2.0
// What the program says about itself as a whole.
#pragma once

#include <string>
#include <string_view>

namespace arkvory::cli {

std::string general_help();

// What a call without arguments is told.
std::string short_usage();

// That there is no such command, with the one that was most likely meant.
std::string unknown_command(std::string_view verb);

}  // namespace arkvory::cli
