// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_pointer.h"

namespace arkvory {

std::string json_pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char letter : key) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '~')
      step += "~0";
    else if (letter == '/')
      step += "~1";
    else
      step += code < 0x20 || code == 0x7F ? '?' : letter;
  }
  return step;
}

std::string json_pointer_step(std::size_t index) { return "/" + std::to_string(index); }

}  // namespace arkvory
