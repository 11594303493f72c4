// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/wire.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <string_view>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::string_view kPlainHttpRefused =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: 113\r\nConnection: "
    "close\r\n\r\n"
    R"({"type":"about:blank","title":"Bad Request","status":400,"code":"invalid_request","detail":"use https:// here"})"
    "\r\n";

IpAddress address_of(const tcp::endpoint& end) {
  const auto address = end.address();
  return address.is_v4() ? IpAddress(address.to_v4().to_bytes()) : IpAddress(address.to_v6().to_bytes());
}

}  // namespace

struct Wire::Tls {
  Tls(tcp::socket& socket, const TlsContext& shown) : context(shown), stream(socket, fresh(shown)) {}

  static SSL* fresh(const TlsContext& shown) {
    SSL* made = SSL_new(shown.native());
    ensure(made != nullptr, "there is memory for a TLS session");
    return made;
  }

  TlsContext context;
  asio::ssl::stream<tcp::socket&> stream;
};

Wire::Wire(tcp::socket socket, const std::optional<TlsContext>& tls) : socket_(std::move(socket)) {
  if (tls) tls_ = std::make_unique<Tls>(socket_, *tls);
}

Wire::~Wire() = default;

void Wire::greet(Done done) {
  if (!tls_) return asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  tls_->stream.async_handshake(asio::ssl::stream_base::server, [this, done = std::move(done)](const Error& error) {
    const bool is_tls = error.category() == asio::error::get_ssl_category();
    if (is_tls && means_plain_http(static_cast<unsigned long>(error.value()))) return refuse_plain_http(done, error);
    done(error);
  });
}

void Wire::refuse_plain_http(Done done, const Error& why) {
  asio::async_write(socket_, asio::buffer(kPlainHttpRefused),
                    [done = std::move(done), why](const Error&, std::size_t) { done(why); });
}

void Wire::read_some(asio::mutable_buffer into, Moved moved) {
  if (tls_) return tls_->stream.async_read_some(into, std::move(moved));
  socket_.async_read_some(into, std::move(moved));
}

void Wire::write_some(const std::array<asio::const_buffer, 2>& from, Moved moved) {
  if (tls_) return tls_->stream.async_write_some(from, std::move(moved));
  socket_.async_write_some(from, std::move(moved));
}

// The shutdown of TLS ends with the client's own, or with an error where it sends on instead: both mean that ours is
// out.
void Wire::end_sending(Done done) {
  const auto end = [this, done = std::move(done)](const Error&) {
    Error error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    done(error);
  };
  if (tls_) return tls_->stream.async_shutdown(end);
  asio::post(socket_.get_executor(), [end] { end({}); });
}

void Wire::drop_some(asio::mutable_buffer scratch, Moved moved) { socket_.async_read_some(scratch, std::move(moved)); }

const IpAddress& Wire::peer() {
  Error error;
  if (!peer_) peer_ = address_of(socket_.remote_endpoint(error));
  return *peer_;
}

bool Wire::is_local() {
  Error error;
  return peer().is_loopback() || peer() == address_of(socket_.local_endpoint(error));
}

void Wire::cancel() {
  Error ignored;
  socket_.cancel(ignored);
}

void Wire::set_reset() {
  Error ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
}

void Wire::close() {
  Error ignored;
  socket_.close(ignored);
}

}  // namespace arkvory::server
