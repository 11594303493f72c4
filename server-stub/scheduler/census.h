// SPDX-License-Identifier: Apache-2.0
// Who is here, counted for people to look at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/clock.h"
#include "server-stub/scheduler/service_order.h"

namespace arkvory::server {

struct ClassCount {
  std::size_t active = 0;
  std::size_t waiting = 0;
  std::size_t parked = 0;           // lost their seat by idling, and may come back (S8)
  std::uint64_t waiting_bytes = 0;  // what those in line still want
  Duration oldest_wait{0};          // of those in line; zero where there are none
};

// By the sessions' own classes, also where they have aged into the line of another.
using Census = std::array<ClassCount, kClasses>;

struct PrincipalCount {
  std::string name;
  std::size_t waiting = 0;
  std::size_t active = 0;
};

}  // namespace arkvory::server
