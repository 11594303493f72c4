// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/seat.h"

#include <utility>

#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

Seat::~Seat() {
  if (scheduler_ != nullptr) stop(std::nullopt, false);
}

void Seat::stop(std::optional<ByteRange> covered, bool is_at_end) {
  offer(false);
  std::exchange(scheduler_, nullptr)->ended({session_, covered, version_, sent_, is_at_end});
}

void Seat::sent(std::uint64_t bytes) {
  sent_ += bytes;
  scheduler_->delivered(session_, bytes);
}

void Seat::offer(bool is_waiting_for_client) {
  if (is_waiting_for_client == std::exchange(is_waiting_for_client_, is_waiting_for_client)) return;
  scheduler_->offered(session_, is_waiting_for_client);
}

void Seat::complete() && { stop(range_, true); }

void Seat::complete_up_to(std::uint64_t end) && { stop(ByteRange::make(range_.begin(), end), true); }

void Seat::cut_after(std::uint64_t end) && { stop(ByteRange::make(range_.begin(), end), false); }

std::optional<std::size_t> Seat::outside_class() const {
  if (!is_valid() || !scheduler_->is_outside(session_)) return std::nullopt;
  return static_cast<std::size_t>(scheduler_->download_class(session_));
}

bool Seat::is_valid() const { return scheduler_ != nullptr && scheduler_->is_live(session_); }

}  // namespace arkvory::server
