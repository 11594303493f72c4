// SPDX-License-Identifier: Apache-2.0
#include "tests/support/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace arkvory::test {

namespace {

class ServerSocket {
 public:
  explicit ServerSocket(std::uint16_t port) : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    is_connected_ = connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~ServerSocket() { close(descriptor_); }
  ServerSocket(const ServerSocket&) = delete;
  ServerSocket& operator=(const ServerSocket&) = delete;

  int descriptor() const { return descriptor_; }
  bool is_connected() const { return is_connected_; }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  int descriptor_;
  bool is_connected_ = false;
};

}  // namespace

bool accepts(std::uint16_t port) { return ServerSocket(port).is_connected(); }

void relay(RawConnection& client, std::uint16_t server_port, const RelayFilter& to_server,
           const RelayFilter& to_client) {
  const ServerSocket server(server_port);
  if (!server.is_connected()) return;
  std::array<char, 65536> buffer{};
  while (client.is_open()) {
    auto question = client.receive(std::chrono::milliseconds(0));
    if (!question) return;
    if (!question->empty() && ((to_server && !to_server(*question)) || !server.send(*question))) return;
    const auto count = recv(server.descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count == 0) return;
    if (count > 0) {
      std::string answer(buffer.data(), static_cast<std::size_t>(count));
      if (to_client && !to_client(answer)) return;
      client.send(answer);
    }
    // TLS may hold what no wait tells of: it is waited for only once both were found empty.
    if (question->empty() && count < 0 && !client.wait_for_either(server.descriptor())) return;
  }
}

}  // namespace arkvory::test
