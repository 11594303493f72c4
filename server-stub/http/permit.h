// SPDX-License-Identifier: Apache-2.0
// The right to send one answer with an object's bytes: a seat of the scheduler, or a slot of the admission per request.
#pragma once

#include <optional>
#include <utility>

#include "server-stub/scheduler/request_admission.h"
#include "server-stub/scheduler/seat.h"

namespace arkvory::server {

class Permit {
 public:
  explicit Permit(Seat seat) : seat_(std::move(seat)) {}
  explicit Permit(RequestSlot slot) : slot_(std::move(slot)) {}

  // So many more bytes of the body were sent.
  void sent(std::uint64_t bytes) {
    if (seat_) seat_->sent(bytes);
  }
  // Whether bytes are offered that the client does not take (S13).
  void offer(bool is_waiting_for_client) {
    if (seat_) seat_->offer(is_waiting_for_client);
  }
  // False where nothing more may be sent: the session was ended meanwhile.
  bool is_valid() const { return !seat_ || seat_->is_valid(); }
  // Ends it after the last byte. Its destruction ends it too: as broken off.
  void complete() && {
    if (seat_) std::move(*seat_).complete();
  }
  // The class with whose others it may share a limit (W1).
  std::optional<std::size_t> outside_class() const { return seat_ ? seat_->outside_class() : std::nullopt; }
  bool is_small() const { return slot_.has_value(); }
  // The smaller, the earlier it is served (B2). Small objects are over soon: they come before all seats.
  std::uint64_t order() const { return seat_ ? seat_->grant_number() + 1 : 0; }

 private:
  std::optional<Seat> seat_;
  std::optional<RequestSlot> slot_;
};

}  // namespace arkvory::server
