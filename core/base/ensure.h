// SPDX-License-Identifier: Apache-2.0
// Assertions of our own promises. They stay in release builds: a broken promise must not go on to write files.
#pragma once

#include <source_location>

namespace arkvory {

// Prints the promise and its place on stderr and aborts.
[[noreturn]] void promise_broken(const char* promise, const std::source_location& where);

// Aborts where `holds` is false. For our own bugs only; what comes from outside is answered with an Error.
inline void ensure(bool holds, const char* promise,
                   const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    promise_broken(promise, where);
}

}  // namespace arkvory
