// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/request_admission.h"

#include <algorithm>

#include "core/base/ensure.h"

namespace arkvory::server {

namespace {

// Tools that know nothing of queues give up on long waits (E3).
constexpr Duration kLongestPause = std::chrono::seconds(30);

}  // namespace

RequestSlot::~RequestSlot() {
  if (admission_ == nullptr) return;
  ensure(admission_->active_ > 0, "a slot is given back once");
  --admission_->active_;
}

std::optional<RequestSlot> RequestAdmission::enter() {
  if (active_ >= sizes_.active || !line_.empty()) return std::nullopt;
  ++active_;
  return RequestSlot(*this);
}

std::optional<RequestAdmission::Place> RequestAdmission::wait(const std::string& principal, bool is_limited) {
  if (line_.size() >= sizes_.waiting) return std::nullopt;
  const auto known = waiting_of_.find(principal);
  if (is_limited && known != waiting_of_.end() && known->second >= sizes_.waiting_per_principal) return std::nullopt;
  ++waiting_of_[principal];
  line_.push_back({next_place_, principal});
  return next_place_++;
}

void RequestAdmission::leave(Place place) {
  const auto found =
      std::find_if(line_.begin(), line_.end(), [place](const Waiter& waiter) { return waiter.place == place; });
  if (found == line_.end()) return;
  count_out(found->principal);
  line_.erase(found);
}

std::optional<std::pair<RequestAdmission::Place, RequestSlot>> RequestAdmission::next() {
  if (line_.empty() || active_ >= sizes_.active) return std::nullopt;
  const auto place = line_.front().place;
  count_out(line_.front().principal);
  line_.pop_front();
  ++active_;
  return std::pair(place, RequestSlot(*this));
}

void RequestAdmission::count_out(const std::string& principal) {
  const auto known = waiting_of_.find(principal);
  if (--known->second == 0) waiting_of_.erase(known);
}

Duration RequestAdmission::retry_after() const {
  const auto rounds = static_cast<Duration::rep>(line_.size() / std::max<std::size_t>(sizes_.active, 1) + 1);
  return std::clamp<Duration>(average_ * rounds, std::chrono::seconds(1), kLongestPause);
}

// A moving average over about the last eight.
void RequestAdmission::took(Duration time) { average_ += (time - average_) / 8; }

}  // namespace arkvory::server
