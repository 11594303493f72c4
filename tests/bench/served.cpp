// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/served.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/ensure.h"
#include "core/base/size.h"
#include "tests/server/raw_client.h"

namespace arkvory::bench {

namespace {

std::vector<std::string> words(const std::string& server, const std::filesystem::path& root,
                               const std::vector<std::string>& options) {
  std::vector<std::string> all{server, "serve", "--root", root.string()};
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

}  // namespace

Served::Served(const std::string& server, const std::filesystem::path& root, const std::vector<std::string>& options)
    : process_(words(server, root, options)) {
  const auto line = process_.read_line(std::chrono::seconds(20)).value_or("");
  const auto port = parse_number(line.substr(line.rfind(':') + 1));
  if (!line.starts_with("listening ") || !port) {
    process_.wait(std::chrono::seconds(1));
    std::fputs(fmt::format("bench: {} does not start: {}\n", server, process_.error_output()).c_str(), stderr);
    std::exit(1);
  }
  port_ = static_cast<std::uint16_t>(*port);
}

std::uint64_t Served::ready(const std::string& name) const {
  return nlohmann::json::parse(test::ask(port_, "GET", "/readyz").body).at(name).get<std::uint64_t>();
}

std::uint64_t raise_file_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

Descriptor connect_to(std::uint16_t port, const std::string& address) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ensure(made.is_open(), "there are descriptors left");
  const int on = 1;
  setsockopt(made.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  ensure(inet_pton(AF_INET, address.c_str(), &place.sin_addr) == 1, "an address is one");
  const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&place));
  ensure(connect(made.number(), generic, sizeof place) == 0, "the server takes a connection");
  return made;
}

void send_all(const Descriptor& socket, std::string_view text) {
  while (!text.empty()) {
    const auto count = send(socket.number(), text.data(), text.size(), MSG_NOSIGNAL);
    ensure(count > 0, "the server takes a request");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::optional<int> take_answer(std::string& text) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const auto length_at = text.find("Content-Length: ");
  const auto length =
      length_at < end ? parse_number(text.substr(length_at + 16, text.find('\r', length_at) - length_at - 16)) : 0;
  const auto whole = end + 4 + length.value_or(0);
  if (text.size() < whole) return std::nullopt;
  const auto status = parse_number(text.substr(9, 3));
  text.erase(0, whole);
  return static_cast<int>(status.value_or(0));
}

}  // namespace arkvory::bench
