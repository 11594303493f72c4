// SPDX-License-Identifier: Apache-2.0
#include "core/base/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace arkvory {

void promise_broken(const char* promise, const std::source_location& where) {
  std::fprintf(stderr, "arkvory: bug: %s (%s:%u)\n", promise, where.file_name(),
               static_cast<unsigned>(where.line()));
  std::abort();
}

}  // namespace arkvory
