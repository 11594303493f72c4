// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/seat.h"

#include <utility>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

Seat::~Seat() {
  if (scheduler_ != nullptr) scheduler_->ended({session_, range_, version_, sent_, false});
}

void Seat::sent(std::uint64_t bytes) {
  sent_ += bytes;
  scheduler_->delivered(session_, bytes);
}

void Seat::complete() && { std::exchange(scheduler_, nullptr)->ended({session_, range_, version_, sent_, true}); }

bool Seat::is_valid() const { return scheduler_ != nullptr && scheduler_->is_live(session_); }

}  // namespace arkvory::server
