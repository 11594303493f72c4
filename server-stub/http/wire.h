// SPDX-License-Identifier: Apache-2.0
// A client's connection as bytes, in plain or through TLS: who uses it does not know which.
//
// One read and one write may be under way at the same time. Each handler is called once, never from within the call
// that was given it, and after `close` with an error. The handlers keep the wire's owner alive, the wire does not.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "server-stub/http/ip_address.h"
#include "server-stub/http/tls_context.h"

namespace arkvory::server {

class Wire {
 public:
  using Error = boost::system::error_code;
  using Done = std::function<void(const Error&)>;
  using Moved = std::function<void(const Error&, std::size_t)>;

  // Without `tls` in plain.
  Wire(boost::asio::ip::tcp::socket socket, const std::optional<TlsContext>& tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Agrees on keys; before anything else. In plain there is nothing to agree on. One who speaks HTTP without TLS is
  // told so in plain, and the handshake fails.
  void greet(Done done);
  void read_some(boost::asio::mutable_buffer into, Moved moved);
  // Of TLS perhaps only from the first buffer that holds something.
  void write_some(const std::array<boost::asio::const_buffer, 2>& from, Moved moved);
  // Says that nothing more comes, to TLS's end and to the connection's.
  void end_sending(Done done);
  // Reads what the client still sends, to be dropped; after `end_sending`.
  void drop_some(boost::asio::mutable_buffer scratch, Moved moved);
  // Ends a read or write under way with an error; what was received stays to be read.
  void cancel();
  void close();
  // What was not acknowledged when it is closed is thrown away, and the client is told so.
  void set_reset();

  bool is_secure() const { return tls_ != nullptr; }
  // The other end's address.
  const IpAddress& peer();
  // Whether the client runs on this machine, as far as its address tells.
  bool is_local();
  boost::asio::ip::tcp::socket& socket() { return socket_; }

 private:
  struct Tls;
  void refuse_plain_http(Done done, const Error& why);

  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
  std::optional<IpAddress> peer_;  // once asked for
};

}  // namespace arkvory::server
