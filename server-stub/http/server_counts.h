// SPDX-License-Identifier: Apache-2.0
// What a server's connections have done since it began. Only on the I/O thread.
#pragma once

#include <cstdint>
#include <map>

namespace arkvory::server {

struct ServerCounts {
  std::uint64_t connections = 0;         // accepted
  std::uint64_t failed_handshakes = 0;   // connections that never agreed on TLS
  std::uint64_t sent_bytes = 0;          // that the system took, heads included
  std::map<int, std::uint64_t> answers;  // by status: begun
};

}  // namespace arkvory::server
