// SPDX-License-Identifier: Apache-2.0
// Sessions by their keys: a table of 32-bit indices with open addressing, which reads the keys where the sessions are.
// The hash is keyed, for clients choose what goes into a key (S1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server-stub/scheduler/pool.h"
#include "server-stub/scheduler/session.h"
#include "server-stub/scheduler/sip_hash.h"

namespace arkvory::server {

class SessionTable {
 public:
  SessionTable(const SipKey& hash_key, const RecordPool<Session>& sessions)
      : hash_key_(hash_key), sessions_(sessions) {}

  std::optional<SessionIndex> find(const SessionKey& key) const;
  // Requires that no session with its key is here.
  void add(SessionIndex session);
  // Requires that it is here.
  void remove(SessionIndex session);
  std::size_t size() const { return size_; }

 private:
  static constexpr SessionIndex kEmpty = UINT32_MAX;
  std::size_t home(const SessionKey& key) const { return sip_hash(hash_key_, key.bytes) & (cells_.size() - 1); }
  std::size_t after(std::size_t cell) const { return (cell + 1) & (cells_.size() - 1); }
  void grow();

  SipKey hash_key_;
  const RecordPool<Session>& sessions_;
  std::vector<SessionIndex> cells_ = std::vector<SessionIndex>(16, kEmpty);  // a power of two
  std::size_t size_ = 0;
};

}  // namespace arkvory::server
