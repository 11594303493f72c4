// SPDX-License-Identifier: Apache-2.0
#include "cli/general_help.h"

#include <fmt/format.h>

#include <vector>

#include "cli/exit_status.h"
#include "cli/suggestion.h"

namespace arkvory::cli {

std::string general_help() {
  std::string text =
      "Usage: arkvoryctl COMMAND [OPTION]... [OPERAND]...\n"
      "\n"
      "Examples:\n"
      "  arkvoryctl download https://example.org/image.iso\n"
      "  arkvoryctl download -o image.iso --sha256 HEX https://example.org/image.iso\n"
      "  arkvoryctl resume --all\n"
      "\n"
      "Commands:\n"
      "  download URL...           download files, or go on with them\n"
      "  resume TARGET... | --all  go on with unfinished downloads\n"
      "  list                      show unfinished downloads\n"
      "  cancel TARGET...          forget unfinished downloads\n"
      "  verify TARGET...          check a finished file or an unfinished one's blocks\n"
      "  help COMMAND              show a command's options\n"
      "\n"
      "  -h, --help                print this help and exit\n"
      "  --version                 print the version and exit\n"
      "\n"
      "Exit status:\n";
  for (const auto status : all_exit_statuses())
    text += fmt::format("  {:>2} {:<11} {}\n", static_cast<int>(status), word(status), meaning(status));
  return text + "  128+n          ended by signal n; the state is saved\n\nThe manual is arkvoryctl(1).\n";
}

std::string short_usage() {
  return "usage: arkvoryctl download|resume|list|cancel|verify|help [OPTION]... [OPERAND]...\n"
         "       arkvoryctl --help tells more\n";
}

std::string unknown_command(std::string_view verb) {
  if (verb.starts_with("-"))
    return fmt::format("'{}' stands where a command should; arkvoryctl --help shows them", verb);
  const std::vector<std::string> verbs{"download", "resume", "list", "cancel", "verify", "help"};
  const auto meant = nearest(verb, verbs);
  if (meant) return fmt::format("unknown command '{}'; did you mean {}?", verb, *meant);
  return fmt::format("unknown command '{}'; arkvoryctl --help shows them", verb);
}

}  // namespace arkvory::cli
