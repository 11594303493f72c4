// SPDX-License-Identifier: Apache-2.0
// Lets the bytes of one answer through as a mishap wants it. While nothing may be sent it looks, once a second, whether
// the client is still there: an answer that stalls for an hour is no reason to keep the seat of one who has left.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/clock.h"
#include "server-stub/mishap/send_pace.h"

namespace arkvory::server {

class Gate : public std::enable_shared_from_this<Gate> {
 public:
  using Again = std::function<void()>;

  Gate(boost::asio::ip::tcp::socket& socket, const Clock& clock, const SendPlan& plan)
      : socket_(socket), clock_(clock), pace_(plan), timer_(socket.get_executor()) {}

  // How many bytes may be written after `sent` of the answer; where there are none, `again` is called when it is time
  // to ask again.
  std::uint64_t allowance(std::uint64_t sent, Again again);
  // The answer has ended: a call may still come.
  void stop() { timer_.cancel(); }
  // The answer is to end here, although there may be more of it.
  bool is_over(std::uint64_t sent) const { return has_client_left_ || pace_.is_over(sent); }

 private:
  void wait(Instant until, Again again);
  void look(Instant until, Again again);

  boost::asio::ip::tcp::socket& socket_;
  const Clock& clock_;
  SendPace pace_;
  boost::asio::steady_timer timer_;
  bool is_waiting_ = false;
  bool has_client_left_ = false;
};

}  // namespace arkvory::server
