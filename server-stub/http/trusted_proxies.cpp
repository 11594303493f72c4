// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/trusted_proxies.h"

#include <algorithm>

#include "server-stub/http/forwarded.h"

namespace arkvory::server {

bool TrustedProxies::has(const IpAddress& address) const {
  return std::any_of(networks_.begin(), networks_.end(),
                     [&address](const Network& network) { return network.contains(address); });
}

IpAddress TrustedProxies::client_of(const IpAddress& peer, const Headers& headers) const {
  if (!has(peer)) return peer;
  auto path = forwarded_for(headers);
  if (!path) return peer;
  auto client = peer;
  while (has(client) && !path->empty() && path->back()) {
    client = *path->back();
    path->pop_back();
  }
  return client;
}

}  // namespace arkvory::server
