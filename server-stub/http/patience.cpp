// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/patience.h"

#include <utility>

namespace arkvory::server {

Patience::Patience(const boost::asio::any_io_executor& executor, const Clock& clock, std::function<void()> over)
    : timer_(executor), clock_(clock), over_(std::move(over)) {}

void Patience::set(Duration after, std::shared_ptr<void> owner) {
  const auto now = clock_.now();
  until_ = now + after;
  if (!rings_at_ || *rings_at_ > *until_) arm(std::move(owner), now);
}

void Patience::release() {
  clear();
  rings_at_.reset();
  ++turn_;
  timer_.cancel();
}

void Patience::arm(std::shared_ptr<void> owner, Instant now) {
  rings_at_ = until_;
  timer_.expires_after(*until_ - now);
  timer_.async_wait([this, owner = std::move(owner), turn = ++turn_](const boost::system::error_code& error) mutable {
    if (!error && turn == turn_) ring(std::move(owner));
  });
}

void Patience::ring(std::shared_ptr<void> owner) {
  rings_at_.reset();
  if (!until_) return;
  if (const auto now = clock_.now(); now < *until_) return arm(std::move(owner), now);
  until_.reset();
  over_();
}

}  // namespace arkvory::server
