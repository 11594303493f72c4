// SPDX-License-Identifier: Apache-2.0
// A link between two network namespaces of its own that is as fast as this machine: a pair of virtual Ethernet devices.
// To a server, whoever is at the other end is on another machine.
#pragma once

#include <string>

#include "tests/bench/network_space.h"

namespace arkvory::bench {

class FastLink {
 public:
  // Fault::local where this process may not make namespaces or devices, or the kernel or ip(8) is not there.
  static Result<FastLink> make();

  NetworkSpace::Visit at_server() const { return server_.visit(); }
  NetworkSpace::Visit at_client() const { return client_.visit(); }
  std::string server_address() const;

 private:
  FastLink(NetworkSpace server, NetworkSpace client) : server_(std::move(server)), client_(std::move(client)) {}

  NetworkSpace server_;
  NetworkSpace client_;
};

}  // namespace arkvory::bench
