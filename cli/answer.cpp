// SPDX-License-Identifier: Apache-2.0
#include "cli/answer.h"

#include <unistd.h>

#include <cerrno>

#include "core/http/headers.h"

namespace arkvory::cli {

bool means_yes(std::string_view answer) {
  while (!answer.empty() && (answer.back() == '\n' || answer.back() == '\r')) answer.remove_suffix(1);
  answer = trimmed(answer);
  return equal_ignoring_case(answer, "y") || equal_ignoring_case(answer, "yes");
}

bool answers_yes(const std::string& question, TextOutput& out, int input) {
  out.write(question + " [y/N] ");
  constexpr std::size_t longest = 256;
  std::string answer;
  while (answer.size() < longest && (answer.empty() || answer.back() != '\n')) {
    char next = 0;
    const auto got = ::read(input, &next, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.push_back(next);
  }
  return means_yes(answer);
}

}  // namespace arkvory::cli
