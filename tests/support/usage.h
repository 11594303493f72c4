// SPDX-License-Identifier: Apache-2.0
// What a running process has used, as the kernel counts it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace arkvory::test {

// What a process has used since it began, over all its threads (proc(5)).
struct Usage {
  std::uint64_t on_cpu = 0;    // nanoseconds
  std::uint64_t wake_ups = 0;  // times that it was put to sleep, and so was woken
  std::uint64_t switches = 0;  // times that it was taken off a processor for any reason
};

Usage usage_of(pid_t pid);

// Files, sockets and the like that it has open.
std::size_t open_descriptors(pid_t pid);

// Bytes of memory that it has to itself now; 0 where it is gone.
std::uint64_t own_memory(pid_t pid);

}  // namespace arkvory::test
