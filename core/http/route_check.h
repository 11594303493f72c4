// SPDX-License-Identifier: Apache-2.0
// Whether this machine has a network at all, told without sending anything.
#pragma once

#include <filesystem>

namespace arkvory {

// True where a datagram could leave this machine for the world (IPv4 or IPv6) or for one of the name servers that
// `resolver_file` (resolv.conf(5)) lists off loopback. It never blocks and sends nothing: connecting a datagram socket
// only looks up the route. The resolver's own errors don't tell "no such name" from "nobody to ask", this does for a
// machine that has just booted.
bool has_route_out(const std::filesystem::path& resolver_file = "/etc/resolv.conf");

}  // namespace arkvory
