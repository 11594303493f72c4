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

void Seat::complete_up_to(std::uint64_t end) && {
  auto& scheduler = *std::exchange(scheduler_, nullptr);
  const bool has_any = end > range_.begin();
  scheduler.ended({session_, has_any ? ByteRange(range_.begin(), end) : range_, version_, sent_, has_any});
}

bool Seat::is_valid() const { return scheduler_ != nullptr && scheduler_->is_live(session_); }

}  // namespace arkvory::server
