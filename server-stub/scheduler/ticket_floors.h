// SPDX-License-Identifier: Apache-2.0
// Tickets that restore nothing any more (T2): those of finished downloads, and of sessions that lost their arrival. For
// each key the newest such ticket's time is kept as long as a ticket lives.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "core/base/clock.h"
#include "server-stub/scheduler/session_key.h"
#include "server-stub/scheduler/session_key_hash.h"

namespace arkvory::server {

inline constexpr Duration kTicketLife = std::chrono::minutes(15);

class TicketFloors {
 public:
  // `most`: keys kept; beyond it the oldest is forgotten.
  TicketFloors(std::size_t most, const SipKey& hash_key) : most_(most), floors_(0, SessionKeyHash{hash_key}) {}

  // Tickets of `key` issued at or before `issued` (wall-clock milliseconds) restore nothing.
  void raise(const SessionKey& key, std::int64_t issued, Instant now);
  bool may_restore(const SessionKey& key, std::int64_t issued) const;
  void forget_expired(Instant now);
  std::size_t size() const { return floors_.size(); }

 private:
  struct Floor {
    std::int64_t issued;
    Instant until;
  };
  using Expiry = std::pair<Instant, SessionKey>;
  bool is_raised_again(const Expiry& expiry) const;
  void put_back_front();
  void forget_oldest();

  std::size_t most_;
  std::unordered_map<SessionKey, Floor, SessionKeyHash> floors_;
  std::deque<Expiry> expiries_;  // one for each key; one raised again is put back at its time
};

}  // namespace arkvory::server
