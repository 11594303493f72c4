// SPDX-License-Identifier: Apache-2.0
#include "tests/server/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/base/ensure.h"
#include "core/base/size.h"

namespace arkvory::test {

RawClient::RawClient(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience{20, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
  ensure(connect(socket_, generic, sizeof address) == 0, "a test can connect to its server");
}

RawClient::RawClient(std::uint16_t port, const TlsTerms& terms) : RawClient(port) {
  tls_ = std::make_unique<TlsClient>(socket_, terms);
}

RawClient::~RawClient() { close(socket_); }

void RawClient::send(std::string_view text) {
  if (tls_) {
    tls_->send(text);
    return;
  }
  while (!text.empty()) {
    const auto count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void RawClient::receive_little() const {
  const int bytes = 4096;
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void RawClient::end_sending() const { shutdown(socket_, SHUT_WR); }

bool RawClient::fill() {
  std::array<char, 65536> piece;
  ssize_t count = 0;
  do {
    count = tls_ ? static_cast<ssize_t>(tls_->receive(piece)) : recv(socket_, piece.data(), piece.size(), 0);
  } while (count < 0 && errno == EINTR);  // a server in this process is sent signals
  was_reset_ = count < 0 && !tls_ && errno == ECONNRESET;
  if (count <= 0) return false;
  received_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

Reply RawClient::read_head() {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return {};
  std::string_view head = std::string_view(received_).substr(0, end + 2);
  Reply reply;
  const auto status = head.substr(0, head.find("\r\n"));
  if (status.size() > 12) reply.status = static_cast<int>(parse_number(status.substr(9, 3)).value_or(0));
  for (head.remove_prefix(status.size() + 2); !head.empty();) {
    const auto line = head.substr(0, head.find("\r\n"));
    const auto colon = line.find(':');
    reply.headers.add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 1)));
    head.remove_prefix(line.size() + 2);
  }
  received_.erase(0, end + 4);
  return reply;
}

Reply RawClient::read_reply(bool has_body) {
  auto reply = read_head();
  const auto length = has_body && reply.status != 304 ? parse_number(reply.header("Content-Length")).value_or(0) : 0;
  while (received_.size() < length && fill()) continue;
  reply.body = received_.substr(0, length);
  received_.erase(0, reply.body.size());
  reply.is_whole = reply.body.size() == length;
  return reply;
}

std::string RawClient::read_some(std::size_t most) {
  if (received_.empty()) fill();
  auto some = received_.substr(0, most);
  received_.erase(0, some.size());
  return some;
}

std::string RawClient::read_to_end() {
  while (fill()) continue;
  return std::exchange(received_, {});
}

std::string request(std::string_view method, std::string_view target, std::string_view extra) {
  std::string text(method);
  return text.append(" ").append(target).append(" HTTP/1.1\r\nHost: test\r\n").append(extra).append("\r\n");
}

Reply ask(std::uint16_t port, std::string_view method, std::string_view target, std::string_view extra) {
  RawClient client(port);
  client.send(request(method, target, extra));
  return client.read_reply(method != "HEAD");
}

}  // namespace arkvory::test
