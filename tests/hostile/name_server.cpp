// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/name_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "core/base/ensure.h"

namespace arkvory::hostile {

namespace {

constexpr std::size_t kHead = 12;
constexpr char kTypeA = 1;

// The end of the first question in a message; 0 where there is none.
std::size_t question_end(const std::string& message) {
  std::size_t at = kHead;
  while (at < message.size() && message[at] != '\0') at += 1U + static_cast<unsigned char>(message[at]);
  return at + 5 <= message.size() ? at + 5 : 0;
}

// The answer to a question: a code (0 or 2, SERVFAIL), and an address where one is given.
std::string answer_to(const std::string& message, std::size_t end, char code, const std::string& address) {
  auto text = message.substr(0, 2);
  text += '\x81';                          // an answer, recursion desired
  text += static_cast<char>(0x80 | code);  // recursion available
  text += std::string("\0\1", 2);          // one question
  text += std::string(address.empty() ? "\0\0" : "\0\1", 2);
  text += std::string(4, '\0');
  text += message.substr(kHead, end - kHead);
  if (!address.empty()) text += std::string("\xC0\x0C\0\1\0\1\0\0\0\1\0\4", 12) + address;
  return text;
}

}  // namespace

NameServer::NameServer(const std::string& listen, int failures, std::array<unsigned char, 4> address)
    : stop_event_(eventfd(0, EFD_CLOEXEC)), failures_(failures), address_(address) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(53);
  inet_pton(AF_INET, listen.c_str(), &here.sin_addr);
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
    close(descriptor);
    return;
  }
  socket_ = descriptor;
  thread_ = std::thread([this] { serve(); });
}

NameServer::~NameServer() {
  const std::uint64_t one = 1;
  ensure(write(stop_event_, &one, sizeof one) == sizeof one, "an eventfd takes a number");
  if (thread_.joinable()) thread_.join();
  if (socket_ >= 0) close(socket_);
  close(stop_event_);
}

void NameServer::serve() {
  std::array<char, 1500> buffer{};
  while (true) {
    std::array<pollfd, 2> watched{pollfd{socket_, POLLIN, 0}, pollfd{stop_event_, POLLIN, 0}};
    if (poll(watched.data(), watched.size(), -1) > 0 && watched[1].revents != 0) return;
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const auto count = recvfrom(socket_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (count <= 0) continue;
    const std::string message(buffer.data(), static_cast<std::size_t>(count));
    const auto end = question_end(message);
    if (end == 0) continue;
    const bool wants_address = message[end - 3] == kTypeA;
    const bool fails = wants_address ? questions_++ < failures_ : questions_ <= failures_ && failures_ > 0;
    const std::string address(reinterpret_cast<const char*>(address_.data()), address_.size());
    const auto text = answer_to(message, end, fails ? 2 : 0, wants_address && !fails ? address : "");
    sendto(socket_, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&from), length);
  }
}

}  // namespace arkvory::hostile
