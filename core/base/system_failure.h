// SPDX-License-Identifier: Apache-2.0
// A failed system call as an Error: the words say what was tried on which path, the cause is the system's own text.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace arkvory {

// The system's text for an errno value. Safe beside other threads, unlike strerror of older libraries.
inline std::string system_text(int code) {
  char buffer[128] = {};
  std::string text = strerror_r(code, buffer, sizeof buffer);  // the GNU form: returns the text
  if (code == EFBIG) text += ", beyond the limit of this file system or of `ulimit -f`";
  return text;
}

// `tried` reads on from "cannot": `write`, `open the folder`.
inline tl::unexpected<Error> system_failure(std::string_view tried, const std::filesystem::path& path, int code) {
  return fail(Fault::local, "cannot " + std::string(tried) + " " + path.string(), system_text(code));
}

}  // namespace arkvory
