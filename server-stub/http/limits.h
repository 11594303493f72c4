// SPDX-License-Identifier: Apache-2.0
// What a connection may take, and how. A test changes it; nobody else does.
#pragma once

#include <cstddef>

#include "core/base/clock.h"

namespace arkvory::server {

struct Limits {
  // From a request's first byte to its last (L1); of a new connection from its beginning.
  Duration header_time = std::chrono::seconds(10);
  // Between requests.
  Duration idle_time = std::chrono::seconds(60);
  // Without a byte that the client's side took.
  Duration send_stall = std::chrono::seconds(60);
  // For the client to close its end after ours was closed.
  Duration linger = std::chrono::seconds(2);
  // After an answer that ended while stopping: for a request that is already on its way.
  Duration last_request = std::chrono::seconds(1);
  // When descriptors ran out.
  Duration accept_pause = std::chrono::milliseconds(100);
  // Whether bytes for clients on this machine are copied (sender.h).
  bool copies_for_local = true;
  // Threads for what may wait for the disk.
  std::size_t workers = 4;
};

}  // namespace arkvory::server
