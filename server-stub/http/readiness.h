// SPDX-License-Identifier: Apache-2.0
// What `/readyz` says (protocol.md §5): aggregates only.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/clock.h"
#include "server-stub/http/exchange.h"

namespace arkvory::server {

struct Readiness {
  std::size_t active = 0;          // sessions with a seat
  std::size_t waiting = 0;         // sessions in line
  std::size_t held = 0;            // requests held open until their turn
  Duration last_tick{0};           // how long the scheduler's last tick took
  bool has_store = false;          // a state folder, so that the queue survives a restart
  std::string problem{};           // of the store; empty: none
  std::string settings_problem{};  // of what is stored, which can be read; empty: none
};

// JSON: `active`, `waiting`, `held`, `lastTickSeconds`, `store` (`ok`, `memory`, `failing`), `problem` (a text or
// null).
Answer readiness_answer(const Readiness& readiness);

}  // namespace arkvory::server
