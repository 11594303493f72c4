// SPDX-License-Identifier: Apache-2.0
// Assertions of our own promises. They stay in release builds: a broken promise must not go on to write files.
#pragma once

namespace arkvory {

// Prints the promise and its place on stderr and aborts.
[[noreturn]] void promise_broken(const char* promise, const char* file, int line);

// Aborts where `holds` is false. For our own bugs only; what comes from outside is answered with an Error.
// The place is the caller's, by the builtins that g++ and clang share: clang 14 has no std::source_location.
inline void ensure(bool holds, const char* promise, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    promise_broken(promise, file, line);
}

}  // namespace arkvory
