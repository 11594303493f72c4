// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <boost/asio/ip/tcp.hpp>

namespace arkvory::server {

// Bytes that the client's side has not acknowledged: a slow client empties this while the socket takes nothing new.
inline int unacknowledged(boost::asio::ip::tcp::socket& socket) {
  int count = 0;
  ioctl(socket.native_handle(), SIOCOUTQ, &count);
  return count;
}

}  // namespace arkvory::server
