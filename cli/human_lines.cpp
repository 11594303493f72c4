// SPDX-License-Identifier: Apache-2.0
#include "cli/human_lines.h"

#include "cli/messages.h"

namespace arkvory::cli {

std::string HumanLines::name(const std::filesystem::path& target) const { return shown_target(target, current); }

std::string HumanLines::notice(const std::filesystem::path& target, std::string_view message) const {
  if (quiet) return {};
  return program_line(name(target) + ": " + std::string(message));
}

std::string HumanLines::ending(const std::filesystem::path& target, const Outcome& outcome) const {
  // A list has one line for all of these.
  if (outcome.is_of_earlier_run) return {};
  if (!outcome.error) return quiet ? std::string() : program_line(success_message(name(target), outcome));
  auto line = program_line(failure_message(name(target), outcome));
  if (!color) return line;
  line.pop_back();
  return "\x1b[31m" + line + "\x1b[0m\n";
}

}  // namespace arkvory::cli
