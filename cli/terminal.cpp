// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace arkvory::cli {

ScreenSize DescriptorTerminal::size() const {
  constexpr std::size_t least = 20;
  ScreenSize size;
  winsize told{};
  const bool is_told = ioctl(descriptor_, TIOCGWINSZ, &told) == 0;
  if (is_told && told.ws_row > 0) size.lines = told.ws_row;
  if (is_told && told.ws_col > 0)
    size.columns = told.ws_col;
  else if (columns_ > 0)
    size.columns = columns_;
  size.columns = std::max(size.columns, least);
  return size;
}

bool DescriptorTerminal::in_foreground() const {
  const auto group = tcgetpgrp(descriptor_);
  return group < 0 || group == getpgrp();
}

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool uses_color(ColorChoice choice, const Environment& environment, bool terminal) {
  if (choice == ColorChoice::always) return true;
  if (choice == ColorChoice::never) return false;
  if (variable(environment, "NO_COLOR")) return false;
  const auto forced = variable(environment, "CLICOLOR_FORCE");
  if (forced && *forced != "0") return true;
  if (variable(environment, "CLICOLOR") == "0") return false;
  return can_redraw(environment, terminal);
}

bool can_redraw(const Environment& environment, bool terminal) {
  const auto kind = variable(environment, "TERM");
  return terminal && kind && *kind != "dumb";
}

}  // namespace arkvory::cli
