// SPDX-License-Identifier: Apache-2.0
// Several requests on one HTTP/2 connection, against nginx.
#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <string>

#include "core/base/byte_range.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/transport/collector.h"
#include "tests/transport/worlds.h"

namespace arkvory::test {

namespace {

constexpr std::size_t range_size = 2'000'000;
constexpr std::size_t ranges = 4;

// Every path of nginx leads into the test's folder.
std::string settings(const TempFolder& folder, std::uint16_t port) {
  const auto here = folder.path().string();
  std::string text = "daemon off; master_process off; pid " + here + "/pid; error_log stderr; events {}\nhttp {\n";
  for (const auto* module : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
    text += std::string(module) + "_temp_path " + here + "/" + module + ";\n";
  return text + "access_log off; root " + here + ";\nserver { listen 127.0.0.1:" + std::to_string(port) +
         " ssl http2; ssl_certificate " + here + "/cert.pem; ssl_certificate_key " + here + "/key.pem; }\n}\n";
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE(file.flush().good());
}

class Http2Server {
 public:
  Http2Server() : port_(closed_port()) {
    const auto made = run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                           "-nodes", "-keyout", (folder_ / "key.pem").string(), "-out", certificate(), "-days", "2",
                           "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"});
    REQUIRE_MESSAGE(made.end.exit_code == 0, made.error_output);
    const auto bytes = pattern(1, ranges * range_size);
    write_file(folder_ / "f", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    write_file(folder_ / "nginx.conf", settings(folder_, port_));
    server_ = std::make_unique<Process>(
        std::vector<std::string>{ARKVORY_NGINX, "-e", "stderr", "-c", (folder_ / "nginx.conf").string()});
  }

  std::string certificate() const { return (folder_ / "cert.pem").string(); }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_) + "/f"; }
  bool is_running() { return !server_->wait(std::chrono::milliseconds(10)); }

 private:
  TempFolder folder_;
  std::uint16_t port_;
  std::unique_ptr<Process> server_;
};

}  // namespace

TEST_CASE("a stopped stream harms neither its siblings on the HTTP/2 connection nor later requests") {
  Http2Server server;
  SystemClock clock;
  TransportOptions options;
  options.ca_file = server.certificate();
  const auto transport = make_loopback_transport(clock, options);
  for (auto kind = EndKind::not_connected; kind == EndKind::not_connected;) {
    REQUIRE(server.is_running());
    Collector probe;
    transport->start(request_for(server.url(), Method::head), probe);
    REQUIRE(wait_for_end(*transport, clock, probe));
    kind = probe.kind();
  }
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    std::array<Collector, ranges> sinks;
    if (round == 1) sinks[1].stops_after = 100'000;
    for (std::size_t i = 0; i < ranges; ++i) {
      Headers headers;
      headers.add("Range", ByteRange(i * range_size, (i + 1) * range_size).to_header());
      transport->start(request_for(server.url(), Method::get, headers), sinks[i]);
    }
    for (std::size_t i = 0; i < ranges; ++i) {
      CAPTURE(i);
      REQUIRE(wait_for_end(*transport, clock, sinks[i]));
      const bool stopped = round == 1 && i == 1;
      CHECK(sinks[i].kind() == (stopped ? EndKind::stopped : EndKind::complete));
      CHECK(sinks[i].status() == 206);
      if (!stopped) CHECK(sinks[i].body.size() == range_size);
    }
  }
}

}  // namespace arkvory::test
