// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "server-stub/scheduler/session_key.h"
#include "server-stub/scheduler/sip_hash.h"

namespace arkvory::server {

// Keyed, because a client chooses what goes into a session's key (S1).
struct SessionKeyHash {
  SipKey key{};
  std::size_t operator()(const SessionKey& session) const { return sip_hash(key, session.bytes); }
};

}  // namespace arkvory::server
