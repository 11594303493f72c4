// SPDX-License-Identifier: Apache-2.0
// What stands at the foot of a terminal for all downloads that run: a pure function of what is known of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/progress_line.h"
#include "cli/terminal.h"

namespace arkvory::cli {

struct ProgressRow {
  std::string text;
  bool is_waiting = false;
};

// A row for each download, in the order given, and below several of them their sum, with how many are `done` already.
// Each is narrower than the screen, and together they leave a line above them free: those that find no room are in the
// sum alone.
std::vector<ProgressRow> progress_rows(ScreenSize screen, std::span<const LineState> downloads, std::size_t done);

}  // namespace arkvory::cli
