// SPDX-License-Identifier: Apache-2.0
// The times of a connection. A test shortens them; nobody else changes them.
#pragma once

#include <cstddef>

#include "core/base/clock.h"

namespace arkvory::server {

struct Limits {
  Duration header_time = std::chrono::seconds(10);  // from a request's first byte to its last (L1); also of a new connection
  Duration idle_time = std::chrono::seconds(60);    // between requests
  Duration send_stall = std::chrono::seconds(60);   // without a byte that the client's side took
  Duration linger = std::chrono::seconds(2);        // for the client to close after our end was closed
  Duration last_request = std::chrono::seconds(1);  // after an answer that ended while stopping: for a request already made
  Duration accept_pause = std::chrono::milliseconds(100);  // when descriptors ran out
  std::size_t workers = 4;                          // threads for what may wait for the disk
};

}  // namespace arkvory::server
