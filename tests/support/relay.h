// SPDX-License-Identifier: Apache-2.0
// A connection handed on to another server of loopback, as a proxy or a breaker in the middle does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/support/raw_origin.h"

namespace arkvory::test {

// Sees each piece on its way and may change it. False ends the relay before the piece is handed on.
using RelayFilter = std::function<bool(std::string& bytes)>;

// Whether somebody on loopback takes connections on that port.
bool accepts(std::uint16_t port);

// Hands on bytes both ways until either side ends, a filter ends it, or the origin stops. The server's connection is
// closed then; the client's is left to the caller.
void relay(RawConnection& client, std::uint16_t server_port, const RelayFilter& to_server = {},
           const RelayFilter& to_client = {});

}  // namespace arkvory::test
