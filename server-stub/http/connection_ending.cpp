// SPDX-License-Identifier: Apache-2.0
// How a connection ends: at once, once all has arrived, or by a reset.
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "server-stub/http/connection.h"
#include "server-stub/http/unacknowledged.h"

namespace arkvory::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Between two looks whether the client's side has everything.
constexpr Duration kResetStep = std::chrono::milliseconds(5);

}  // namespace

void Connection::begin_stop() {
  if (is_answering_ || is_leaving_ || !received_.empty() || parser_) return;
  error_code error;
  if (wire_.socket().available(error) == 0) leave();
}

// What was sent may still be under way, and would be lost with the connection.
void Connection::leave(const error_code& why) {
  if (is_closed_ || is_leaving_) return;
  const bool is_client_there = !why || why == asio::error::eof;
  if (!is_client_there || sender_.pages().has_settled()) return cut();
  is_leaving_ = true;
  patience_.clear();
  if (hold_) context_.desk.drop(*hold_);
  hold_.reset();
  sender_.pages().when_settled([this] { cut(); }, shared_from_this());
}

void Connection::cut() {
  if (is_closed_) return;
  is_closed_ = true;
  const auto self = shared_from_this();
  patience_.release();
  if (hold_) context_.desk.drop(*hold_);
  hold_.reset();
  sender_.close();
  context_.open.erase(self);
  if (context_.is_stopping() && context_.open.empty()) context_.on_last_gone();
}

// Our end is closed first, and what the client still sends is dropped: closing over unread bytes would make the kernel
// send a reset, which can overtake the last bytes of the answer.
void Connection::close_gently() {
  received_.clear();
  give_up_after(context_.limits.linger);
  wire_.end_sending([self = shared_from_this()](const error_code& error) {
    if (self->is_closed_) return;
    if (error) return self->cut();
    self->drain();
  });
}

void Connection::drain() {
  wire_.drop_some(asio::buffer(incoming_), [self = shared_from_this()](const error_code& error, std::size_t) {
    if (self->is_closed_) return;
    if (error) return self->leave(error);
    self->drain();
  });
}

// Once the client's side has all that was sent before, for the reset overtakes what is still on its way; not for ever,
// for a client may take nothing.
void Connection::reset_by(Instant latest) {
  if (unacknowledged(wire_.socket()) > 0 && context_.clock.now() < latest) {
    const auto step = std::make_shared<asio::steady_timer>(wire_.socket().get_executor(), kResetStep);
    return step->async_wait([self = shared_from_this(), step, latest](const error_code&) {
      if (!self->is_closed_) self->reset_by(latest);
    });
  }
  wire_.set_reset();
  cut();
}

}  // namespace arkvory::server
