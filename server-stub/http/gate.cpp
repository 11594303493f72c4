// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/gate.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace arkvory::server {
namespace {

using boost::system::error_code;

// One that closes its sending end is taken for gone, as while a request is held (connection.h).
bool has_left(boost::asio::ip::tcp::socket& socket) {
  pollfd watched{socket.native_handle(), POLLRDHUP, 0};
  return poll(&watched, 1, 0) > 0;
}

}  // namespace

std::uint64_t Gate::allowance(std::uint64_t sent, Again again) {
  const auto step = pace_.next(sent, clock_.now());
  if (step.bytes == 0 && !is_waiting_) wait(step.again, std::move(again));
  return step.bytes;
}

void Gate::wait(Instant until, Again again) {
  is_waiting_ = true;
  const Duration pause = std::min(until - clock_.now(), Duration(std::chrono::seconds(1)));
  timer_.expires_after(std::max(pause, Duration(0)));
  timer_.async_wait([self = shared_from_this(), until, again = std::move(again)](const error_code& error) mutable {
    if (!error) self->look(until, std::move(again));
  });
}

// The socket lives as long as what `again` holds.
void Gate::look(Instant until, Again again) {
  is_waiting_ = false;
  has_client_left_ = has_left(socket_);
  if (!has_client_left_ && clock_.now() < until) return wait(until, std::move(again));
  again();
}

}  // namespace arkvory::server
