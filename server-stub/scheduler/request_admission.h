// SPDX-License-Identifier: Apache-2.0
// Admission per request, for objects too small to be scheduled (S2): so many answers at once, the rest waits in order
// of arrival. A pure library like the scheduler; one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/clock.h"

namespace arkvory::server {

class RequestAdmission;

// The right to send one answer; its end gives it back. Must not outlive what gave it.
class RequestSlot {
 public:
  RequestSlot(RequestSlot&& other) noexcept : admission_(std::exchange(other.admission_, nullptr)) {}
  RequestSlot& operator=(RequestSlot&&) = delete;
  ~RequestSlot();

 private:
  friend class RequestAdmission;
  explicit RequestSlot(RequestAdmission& admission) : admission_(&admission) {}
  RequestAdmission* admission_;
};

class RequestAdmission {
 public:
  using Place = std::uint64_t;

  struct Sizes {
    std::size_t active = 16;
    std::size_t waiting = 64;
    std::size_t waiting_per_principal = 8;
  };

  explicit RequestAdmission(const Sizes& sizes) : sizes_(sizes) {}

  // At once, where there is room and nobody waits.
  std::optional<RequestSlot> enter();
  // A place in line; none where the line or the principal's part of it is full. `is_limited`: false for those whom
  // limits per principal do not concern.
  std::optional<Place> wait(const std::string& principal, bool is_limited);
  // Out of the line without a slot.
  void leave(Place place);
  // The first in line, where there is room for it now: it leaves the line with its slot.
  std::optional<std::pair<Place, RequestSlot>> next();

  // What one who is refused should wait: for those in line to be served, as fast as the last ones were.
  Duration retry_after() const;
  // An answer took so long.
  void took(Duration time);

  std::size_t active() const { return active_; }
  std::size_t waiting() const { return line_.size(); }

 private:
  friend class RequestSlot;
  struct Waiter {
    Place place;
    std::string principal;
  };
  void count_out(const std::string& principal);

  Sizes sizes_;
  std::size_t active_ = 0;
  std::deque<Waiter> line_;
  std::map<std::string, std::size_t> waiting_of_;
  Place next_place_ = 1;
  Duration average_{std::chrono::seconds(1)};
};

}  // namespace arkvory::server
