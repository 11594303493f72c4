// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/ticket_floors.h"

#include <algorithm>

namespace arkvory::server {

void TicketFloors::raise(const SessionKey& key, std::int64_t issued, Instant now) {
  const auto until = now + kTicketLife;
  auto [floor, is_new] = floors_.try_emplace(key, Floor{issued, until});
  if (!is_new) floor->second = {std::max(floor->second.issued, issued), until};
  expiries_.emplace_back(until, key);
  while (expiries_.size() > most_) {
    floors_.erase(expiries_.front().second);
    expiries_.pop_front();
  }
}

bool TicketFloors::may_restore(const SessionKey& key, std::int64_t issued) const {
  const auto floor = floors_.find(key);
  return floor == floors_.end() || issued > floor->second.issued;
}

void TicketFloors::forget_expired(Instant now) {
  for (; !expiries_.empty() && expiries_.front().first <= now; expiries_.pop_front()) {
    const auto floor = floors_.find(expiries_.front().second);
    if (floor != floors_.end() && floor->second.until <= now) floors_.erase(floor);
  }
}

}  // namespace arkvory::server
