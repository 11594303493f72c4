// SPDX-License-Identifier: Apache-2.0
// The machines whose word on where a request came from is taken (protocol.md §6).
#pragma once

#include <utility>
#include <vector>

#include "core/http/headers.h"
#include "server-stub/http/ip_address.h"

namespace arkvory::server {

class TrustedProxies {
 public:
  // None: every peer is a client.
  TrustedProxies() = default;
  explicit TrustedProxies(std::vector<Network> networks) : networks_(std::move(networks)) {}

  // Whose request it is that came from `peer`. Of a peer that is not trusted the header counts nothing, for it can
  // write there what it likes. Otherwise the machines in `Forwarded` are gone through from our end, and the first that
  // is not trusted is the client: whatever stands before it, it may have written itself. A trusted machine that does
  // not say where it had the request from, and one at the far end, stands for the client; and so does the peer where
  // the header is malformed.
  IpAddress client_of(const IpAddress& peer, const Headers& headers) const;

 private:
  bool has(const IpAddress& address) const;

  std::vector<Network> networks_;
};

}  // namespace arkvory::server
