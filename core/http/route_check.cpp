// SPDX-License-Identifier: Apache-2.0
#include "core/http/route_check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace arkvory {

namespace {

constexpr std::uint16_t name_service = 53;

bool can_route(const sockaddr* address, socklen_t length) {
  const int descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return false;
  const bool routed = connect(descriptor, address, length) == 0;
  close(descriptor);
  return routed;
}

// The socket API takes every family through this cast.
template <typename Address>
bool can_route_to(const Address& address) {
  return can_route(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

bool can_route_to_text(const std::string& text) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(name_service);
  if (inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    const bool loopback = (ntohl(four.sin_addr.s_addr) >> 24U) == 127;
    return !loopback && can_route_to(four);
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(name_service);
  if (inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) != 1) return false;
  return std::memcmp(&six.sin6_addr, &in6addr_loopback, sizeof in6addr_loopback) != 0 && can_route_to(six);
}

}  // namespace

bool has_route_out(const std::filesystem::path& resolver_file) {
  // Addresses for documentation (RFC 5737, RFC 3849): no host has them, the default route leads to them.
  if (can_route_to_text("192.0.2.1") || can_route_to_text("2001:db8::1")) return true;
  std::ifstream file(resolver_file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::string address;
    if (words >> word >> address && word == "nameserver" && can_route_to_text(address)) return true;
  }
  return false;
}

}  // namespace arkvory
