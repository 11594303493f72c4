// SPDX-License-Identifier: Apache-2.0
#include "core/base/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace arkvory {

void promise_broken(const char* promise, const char* file, int line) {
  std::fprintf(stderr, "arkvory: bug: %s (%s:%d)\n", promise, file, line);
  std::abort();
}

}  // namespace arkvory
