// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/seat.h"

#include <utility>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

Seat::~Seat() {
  if (scheduler_ == nullptr) return;
  offer(false);
  scheduler_->ended({session_, range_, version_, sent_, false});
}

void Seat::sent(std::uint64_t bytes) {
  sent_ += bytes;
  scheduler_->delivered(session_, bytes);
}

void Seat::offer(bool is_waiting_for_client) {
  if (is_waiting_for_client == std::exchange(is_waiting_for_client_, is_waiting_for_client)) return;
  scheduler_->offered(session_, is_waiting_for_client);
}

void Seat::complete() && {
  offer(false);
  std::exchange(scheduler_, nullptr)->ended({session_, range_, version_, sent_, true});
}

void Seat::complete_up_to(std::uint64_t end) && {
  auto& scheduler = *std::exchange(scheduler_, nullptr);
  scheduler.ended({session_, ByteRange::make(range_.begin(), end), version_, sent_, true});
}

bool Seat::is_valid() const { return scheduler_ != nullptr && scheduler_->is_live(session_); }

}  // namespace arkvory::server
