// SPDX-License-Identifier: Apache-2.0
// Whom TLS trusts, against `openssl s_server` with certificates made for the test.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/transport/collector.h"
#include "tests/transport/worlds.h"

namespace arkvory::test {

namespace {

class OpensslServer {
 public:
  // `names` is the value of subjectAltName.
  explicit OpensslServer(const std::string& names, const std::vector<std::string>& more = {}) {
    const auto made = run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                           "-nodes", "-keyout", key(), "-out", certificate(), "-days", "2", "-subj", "/CN=test",
                           "-addext", "subjectAltName=" + names});
    REQUIRE_MESSAGE(made.end.exit_code == 0, made.error_output);
    std::vector<std::string> arguments = {"openssl", "s_server",    "-accept", "127.0.0.1:0", "-www",
                                          "-cert",   certificate(), "-key",    key()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<Process>(arguments);
    while (const auto line = server_->read_line(std::chrono::seconds(20))) {
      if (!line->starts_with("ACCEPT ")) continue;
      port_ = line->substr(line->rfind(':') + 1);
      break;
    }
    REQUIRE(!port_.empty());
  }

  std::string certificate() const { return (folder_ / "cert.pem").string(); }
  std::string key() const { return (folder_ / "key.pem").string(); }
  std::string url() const { return "https://127.0.0.1:" + port_ + "/"; }

 private:
  TempFolder folder_;
  std::unique_ptr<Process> server_;
  std::string port_;
};

EndKind kind_for(const std::string& url, const TransportOptions& options) {
  SystemClock clock;
  const auto transport = make_loopback_transport(clock, options);
  Collector sink;
  transport->start(request_for(url), sink);
  REQUIRE(wait_for_end(*transport, clock, sink));
  INFO(sink.end->cause);
  CHECK(sink.head.has_value() == (sink.kind() == EndKind::complete));
  return sink.kind();
}

}  // namespace

TEST_CASE("a certificate nobody vouches for is not secure, unless the user says so") {
  const OpensslServer server("IP:127.0.0.1");
  CHECK(kind_for(server.url(), {}) == EndKind::not_secure);
  TransportOptions trusting;
  trusting.ca_file = server.certificate();
  CHECK(kind_for(server.url(), trusting) == EndKind::complete);
  TransportOptions insecure;
  insecure.verify_peer = false;
  CHECK(kind_for(server.url(), insecure) == EndKind::complete);
}

TEST_CASE("SSL_CERT_FILE names whom to trust, and a file given by option goes before it") {
  const OpensslServer server("IP:127.0.0.1");
  const OpensslServer other("IP:127.0.0.1");
  setenv("SSL_CERT_FILE", server.certificate().c_str(), 1);
  CHECK(kind_for(server.url(), {}) == EndKind::complete);
  TransportOptions options;
  options.ca_file = other.certificate();
  CHECK(kind_for(server.url(), options) == EndKind::not_secure);
  unsetenv("SSL_CERT_FILE");
}

TEST_CASE("a certificate for another host is not secure (C21)") {
  const OpensslServer server("DNS:other.example");
  TransportOptions options;
  options.ca_file = server.certificate();
  CHECK(kind_for(server.url(), options) == EndKind::not_secure);
}

TEST_CASE("a server that wants a certificate of ours refuses us without one") {
  // TLS 1.2 has no alert of its own for this: there it is a handshake that failed.
  const OpensslServer server("IP:127.0.0.1", {"-Verify", "1", "-verify_return_error", "-tls1_3"});
  TransportOptions options;
  options.ca_file = server.certificate();
  CHECK(kind_for(server.url(), options) == EndKind::certificate_refused);
}

TEST_CASE("TLS to a server that speaks plain HTTP is not secure, and one that hangs up is a cut") {
  RawOrigin plain({}, [](int, RawConnection& connection) {
    connection.send(std::string_view("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
    connection.wait_for_close(std::chrono::seconds(20));
  });
  CHECK(kind_for("https://127.0.0.1:" + std::to_string(plain.port()) + "/", {}) == EndKind::not_secure);
  RawOrigin closing({}, [](int, RawConnection& connection) { connection.close(); });
  CHECK(kind_for("https://127.0.0.1:" + std::to_string(closing.port()) + "/", {}) == EndKind::cut);
}

}  // namespace arkvory::test
