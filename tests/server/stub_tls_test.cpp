// SPDX-License-Identifier: Apache-2.0
// The real server over TLS: what it agrees to, what changes on SIGHUP, and that what holds in plain holds here.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

using namespace arkvory;

namespace {

// A root to serve and a certificate with its key beside it.
struct Place {
  Place() {
    test::put(folder / "root/a", "bytes");
    show(first);
  }
  void show(const test::TlsServer& identity) {
    test::put(folder / "cert.pem", identity.certificate_pem());
    test::put(folder / "key.pem", identity.key_pem());
  }
  std::vector<std::string> options(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"--tls-cert", (folder / "cert.pem").string(), "--tls-key",
                                 (folder / "key.pem").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  test::Finished refused(const std::vector<std::string>& options) const {
    auto words = test::Stub::arguments(folder / "root", options);
    return test::run(words);
  }

  test::TempFolder folder;
  test::TlsServer first;
};

std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  return text;
}

}  // namespace

TEST_CASE("over TLS whole objects, ranges and pipelined requests are answered as in plain") {
  const Place place;
  const auto content = pattern(3'000'001);
  test::put(place.folder / "root/big", content);
  test::Stub stub(place.folder / "root", place.options());
  CHECK(stub.line.starts_with("listening https://127.0.0.1:"));
  test::RawClient client(stub.port, {});
  REQUIRE(client.tls().is_agreed());
  CHECK(client.tls().certificate_pem() == place.first.certificate_pem());
  client.send(test::request("GET", "/files/big") + test::request("HEAD", "/files/big") +
              test::request("GET", "/files/big", "Range: bytes=1000000-\r\n"));
  CHECK((client.read_reply().body == content));
  CHECK(client.read_reply(false).header("Content-Length") == std::to_string(content.size()));
  const auto part = client.read_reply();
  CHECK(part.status == 206);
  CHECK((part.body == content.substr(1'000'000)));
  client.send(test::request("GET", "/files/a", "Connection: close\r\n"));
  CHECK(client.read_reply().body == "bytes");
  CHECK(client.is_closed_by_peer());
  CHECK(stub.stop() == 0);
}

TEST_CASE("TLS 1.2 with ephemeral keys and authenticated ciphers is the least that is agreed to") {
  const Place place;
  test::Stub stub(place.folder / "root", place.options());
  const test::RawClient old(stub.port, {.versions = "TLSv1.1"});
  CHECK(!old.tls().is_agreed());
  CHECK(old.tls().problem().find("protocol version") != std::string::npos);
  const test::RawClient weak(stub.port, {.versions = "TLSv1.2", .ciphers = "AES128-SHA:ECDHE-ECDSA-AES128-SHA"});
  CHECK(!weak.tls().is_agreed());
  CHECK(weak.tls().problem().find("handshake failure") != std::string::npos);
  const test::RawClient least(stub.port, {.versions = "TLSv1.2"});
  CHECK(least.tls().is_agreed());
  CHECK(least.tls().version() == "TLSv1.2");
  const test::RawClient usual(stub.port, {});
  CHECK(usual.tls().version() == "TLSv1.3");
  const auto metrics = stub.ask("GET", "/metrics").body;
  CHECK(metrics.find("arkvory_failed_handshakes_total 2\n") != std::string::npos);
}

TEST_CASE("HTTP/1.1 is chosen where a client names it, and one that names others only is served all the same") {
  const Place place;
  test::Stub stub(place.folder / "root", place.options());
  CHECK(test::RawClient(stub.port, {.protocol = "http/1.1"}).tls().protocol() == "http/1.1");
  test::RawClient other(stub.port, {.protocol = "h2"});
  CHECK(other.tls().protocol().empty());
  other.send(test::request("GET", "/files/a"));
  CHECK(other.read_reply().body == "bytes");
}

TEST_CASE("one who speaks HTTP without TLS is told to use https") {
  const Place place;
  test::Stub stub(place.folder / "root", place.options());
  test::RawClient plain(stub.port);
  plain.send(test::request("GET", "/files/a"));
  const auto reply = plain.read_reply();
  CHECK(reply.status == 400);
  CHECK(reply.is_whole);
  CHECK(nlohmann::json::parse(reply.body)["code"] == "invalid_request");
  CHECK(plain.is_closed_by_peer());
  CHECK(stub.ask("GET", "/files/a").body == "bytes");
}

TEST_CASE("bytes that are no handshake end the connection and nothing else") {
  const Place place;
  test::Stub stub(place.folder / "root", place.options());
  test::RawClient noise(stub.port);
  noise.send(std::string("\x16\x03\x01\xff\xff", 5) + pattern(20'000));
  noise.read_to_end();
  CHECK(stub.ask("GET", "/files/a").body == "bytes");
}

TEST_CASE("SIGHUP shows a new certificate to new connections, and a broken one changes nothing") {
  Place place;
  test::Stub stub(place.folder / "root", place.options());
  test::RawClient kept(stub.port, {});
  const test::TlsServer second;
  place.show(second);
  stub.process.kill(SIGHUP);
  while (const auto line = stub.process.read_error_line(std::chrono::seconds(20)))
    if (line->find("certificate_reloaded") != std::string::npos) break;
  CHECK(test::RawClient(stub.port, {}).tls().certificate_pem() == second.certificate_pem());
  kept.send(test::request("GET", "/files/a"));
  CHECK(kept.read_reply().body == "bytes");

  test::put(place.folder / "key.pem", place.first.key_pem());  // of another certificate
  stub.process.kill(SIGHUP);
  std::string told;
  while (const auto line = stub.process.read_error_line(std::chrono::seconds(20))) {
    told = *line;
    if (told.find("certificate_kept") != std::string::npos) break;
  }
  CHECK(told.find("key.pem") != std::string::npos);
  CHECK(test::RawClient(stub.port, {}).tls().certificate_pem() == second.certificate_pem());
}

TEST_CASE("a certificate or key that can't be used is refused at the start, with words that name it") {
  const Place place;
  const test::TlsServer other;
  test::put(place.folder / "other.pem", other.key_pem());
  test::put(place.folder / "empty.pem", "");
  const auto file = [&](const char* name) { return (place.folder / name).string(); };
  struct Case {
    std::string certificate, key, named;
  };
  for (const auto& [certificate, key, named] : {
           Case{file("cert.pem"), file("other.pem"), "other.pem"},
           Case{file("cert.pem"), file("empty.pem"), "empty.pem"},
           Case{file("cert.pem"), file("none.pem"), "none.pem"},
           Case{file("empty.pem"), file("key.pem"), "empty.pem"},
           Case{file("none.pem"), file("key.pem"), "none.pem"},
           Case{file("key.pem"), file("key.pem"), "key.pem"},
       }) {
    CAPTURE(certificate);
    CAPTURE(key);
    const auto end = place.refused({"--tls-cert", certificate, "--tls-key", key});
    CHECK(end.end.exit_code == 10);
    CHECK(end.error_output.find(named) != std::string::npos);
    CHECK(end.output.empty());
  }
}

TEST_CASE("a key under a password is refused without asking for it") {
  const Place place;
  const auto locked = (place.folder / "locked.pem").string();
  const auto made = test::run({"openssl", "ec", "-in", (place.folder / "key.pem").string(), "-aes256", "-passout",
                               "pass:secret", "-out", locked});
  REQUIRE(made.end.exit_code == 0);
  const auto end = place.refused({"--tls-cert", (place.folder / "cert.pem").string(), "--tls-key", locked});
  CHECK(end.end.exit_code == 10);
  CHECK(end.error_output.find("without a password") != std::string::npos);
}

TEST_CASE("one option of TLS without the other is a wrong command") {
  const Place place;
  for (const char* option : {"--tls-cert", "--tls-key"}) {
    const auto end = place.refused({option, (place.folder / "cert.pem").string()});
    CHECK(end.end.exit_code == 2);
    CHECK(end.error_output.find("--tls-cert and --tls-key") != std::string::npos);
  }
}

TEST_CASE("over TLS a held request gets its turn, and one that leaves is missed at once") {
  const Place place;
  const auto content = pattern(50'000'000);
  for (const char* name : {"root/big", "root/next", "root/last"}) test::put(place.folder / name, content);
  test::Stub stub(place.folder / "root", place.options({"--sessions", "1"}));
  test::RawClient first(stub.port, {});
  first.send(test::request("GET", "/files/big"));
  CHECK(first.read_head().status == 200);
  test::RawClient second(stub.port, {});
  second.send(test::request("GET", "/files/next"));
  {
    test::RawClient leaving(stub.port, {});
    leaving.send(test::request("GET", "/files/last"));
    CHECK(stub.comes_to("held", 2));
  }
  CHECK(stub.comes_to("held", 1));
  std::string got;
  while (got.size() < content.size()) {
    const auto some = first.read_some(content.size() - got.size());
    REQUIRE(!some.empty());
    got += some;
  }
  CHECK((got == content));
  CHECK((second.read_reply().body == content));
  CHECK(stub.comes_to("active", 0));
}

TEST_CASE("a client that is gone in the middle of TLS leaves no seat taken (S8)") {
  const Place place;
  test::put(place.folder / "root/big", pattern(50'000'000));
  test::Stub stub(place.folder / "root", place.options({"--sessions", "1", "--idle-seconds", "1"}));
  {
    test::RawClient gone(stub.port, {});
    gone.send(test::request("GET", "/files/big"));
    CHECK(gone.read_head().status == 200);
  }
  CHECK(stub.comes_to("active", 0));
}
