// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace arkvory::cli {

std::size_t DescriptorTerminal::width() const {
  constexpr std::size_t least = 20;
  constexpr std::size_t usual = 80;
  winsize size{};
  if (ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<std::size_t>(least, size.ws_col);
  return columns_ > 0 ? std::max(least, columns_) : usual;
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
