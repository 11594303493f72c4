// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/ticket_floors.h"

#include <algorithm>

namespace arkvory::server {

void TicketFloors::raise(const SessionKey& key, std::int64_t issued, Instant now) {
  const auto until = now + kTicketLife;
  auto [floor, is_new] = floors_.try_emplace(key, Floor{issued, until});
  if (!is_new) {
    floor->second = {std::max(floor->second.issued, issued), until};
    return;
  }
  expiries_.emplace_back(until, key);
  if (floors_.size() > most_) forget_oldest();
}

// Of those not raised again since; where all were, the first of them.
void TicketFloors::forget_oldest() {
  for (auto left = expiries_.size(); left > 1 && is_raised_again(expiries_.front()); --left) put_back_front();
  floors_.erase(expiries_.front().second);
  expiries_.pop_front();
}

bool TicketFloors::is_raised_again(const Expiry& expiry) const {
  return floors_.at(expiry.second).until > expiry.first;
}

void TicketFloors::put_back_front() {
  const auto key = expiries_.front().second;
  expiries_.pop_front();
  expiries_.emplace_back(floors_.at(key).until, key);
}

bool TicketFloors::may_restore(const SessionKey& key, std::int64_t issued) const {
  const auto floor = floors_.find(key);
  return floor == floors_.end() || issued > floor->second.issued;
}

void TicketFloors::forget_expired(Instant now) {
  while (!expiries_.empty() && expiries_.front().first <= now) {
    if (is_raised_again(expiries_.front())) {
      put_back_front();
      continue;
    }
    floors_.erase(expiries_.front().second);
    expiries_.pop_front();
  }
}

}  // namespace arkvory::server
