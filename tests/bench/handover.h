// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace arkvory::bench {

// How long it takes from a seat falling free to the first byte of the next client that is present, `times` times over,
// on a server with one seat: from the moment a DELETE is sent, so that the request's own way is in it. Prints the
// median, the longest, and how they stand to the promised 50 ms. 0; 1 where the server fails or the median is longer.
int run_handover(const std::string& server, std::uint64_t times);

}  // namespace arkvory::bench
