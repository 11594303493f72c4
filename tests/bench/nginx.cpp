// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/nginx.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::bench {

namespace {

using std::chrono::seconds;

// A port that was free a moment ago. nginx can't be told to take any, so a start may fail and is then tried again.
std::uint16_t free_port(const std::string& host) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ensure(listener >= 0, "a socket can be made");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ensure(inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1, "an address is one");
  socklen_t length = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  ensure(bind(listener, raw, length) == 0 && getsockname(listener, raw, &length) == 0, "an address has a free port");
  close(listener);
  return ntohs(address.sin_port);
}

std::string configuration(const std::filesystem::path& folder, const std::string& address, std::uint16_t port) {
  return fmt::format(
      "daemon off;\nmaster_process off;\npid {1}/nginx.pid;\nerror_log stderr notice;\n"
      "events {{ worker_connections 128; }}\n"
      "http {{\n  access_log off;\n  sendfile on;\n  default_type application/octet-stream;\n"
      "  client_body_temp_path {1}/nginx-body;\n  proxy_temp_path {1}/nginx-proxy;\n  fastcgi_temp_path "
      "{1}/nginx-fastcgi;\n"
      "  uwsgi_temp_path {1}/nginx-uwsgi;\n  scgi_temp_path {1}/nginx-scgi;\n"
      "  server {{ listen {0}:{2}; root {1}; }}\n}}\n",
      address, folder.string(), port);
}

// It tells its way of waiting once it listens; without that it has failed, and its last words tell why.
bool has_started(test::Process& process, std::string& last_words) {
  while (auto line = process.read_error_line(seconds(10))) {
    if (line->find("event method") != std::string::npos) return true;
    last_words = *line;
  }
  return false;
}

}  // namespace

Nginx::Nginx(const std::string& program, const std::filesystem::path& folder, std::string address)
    : address_(std::move(address)) {
  const auto config = folder / "nginx.conf";
  std::string last_words;
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port(address_);
    std::ofstream(config) << configuration(folder, address_, port_);
    process_ = std::make_unique<test::Process>(
        std::vector<std::string>{program, "-p", folder.string(), "-c", config.string(), "-e", "stderr"});
    if (has_started(*process_, last_words)) return;
  }
  std::fputs(fmt::format("bench: {} does not start: {}\n", program, last_words).c_str(), stderr);
  std::exit(1);
}

std::string Nginx::url(const std::string& name) const { return fmt::format("http://{}:{}/{}", address_, port_, name); }

}  // namespace arkvory::bench
