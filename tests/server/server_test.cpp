// SPDX-License-Identifier: Apache-2.0
// The server in this process, where a test can hold the disk and shorten the times.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/running_server.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

using namespace arkvory;
using namespace arkvory::server;

TEST_CASE("a read that hangs for ever delays no other answer") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  test::put(folder / "free.bin", "free");
  test::RunningServer running(folder.path());
  test::RawClient held(running.port);
  held.send(test::request("GET", "/files/held.bin"));
  CHECK(held.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  CHECK(test::ask(running.port, "GET", "/healthz").status == 200);
  CHECK(test::ask(running.port, "GET", "/files/free.bin").body == "free");
  running.hold.let_go();
  CHECK(held.read_some(4) == "held");
}

TEST_CASE("when every worker hangs in the disk the I/O thread still answers") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  Limits limits;
  limits.workers = 2;
  test::RunningServer running(folder.path(), test::with(limits));
  test::RawClient first(running.port);
  test::RawClient second(running.port);
  test::RawClient third(running.port);
  for (auto* client : {&first, &second, &third}) client->send(test::request("GET", "/files/held.bin"));
  REQUIRE(running.hold.wait_for_waiters(2));
  CHECK(test::ask(running.port, "GET", "/healthz").status == 200);
  CHECK(test::ask(running.port, "GET", "/files/a/../b").status == 400);
  running.hold.let_go();
  CHECK(third.read_reply().body == "held");
}

TEST_CASE("a client that goes while the disk hangs leaves nothing behind") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", std::string(1'000'000, 'x'));
  test::RunningServer running(folder.path());
  {
    test::RawClient gone(running.port);
    gone.send(test::request("GET", "/files/held.bin"));
    REQUIRE(running.hold.wait_for_waiters(1));
  }
  running.hold.let_go();
  CHECK(test::ask(running.port, "GET", "/files/held.bin").body.size() == 1'000'000);
}

TEST_CASE("a header block that takes too long ends its connection (L1)") {
  const test::TempFolder folder;
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  test::RunningServer running(folder.path(), test::with(limits));
  test::RawClient silent(running.port);
  CHECK(silent.is_closed_by_peer());
  test::RawClient slow(running.port);
  slow.send("GET /healthz HTTP/1.1\r\nHost:");
  CHECK(slow.is_closed_by_peer());
  // On a kept connection the time runs from the request's first byte.
  test::RawClient kept(running.port);
  kept.send(test::request("GET", "/healthz") + "GET /he");
  CHECK(kept.read_reply().status == 200);
  CHECK(kept.is_closed_by_peer());
}

TEST_CASE("a handshake that takes too long ends its connection (L1)") {
  const test::TempFolder folder;
  const test::TlsServer identity;
  test::put(folder / "cert.pem", identity.certificate_pem());
  test::put(folder / "key.pem", identity.key_pem());
  const auto tls = TlsContext::load(folder / "cert.pem", folder / "key.pem");
  REQUIRE(tls);
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  test::RunningServer running(folder.path(), test::with(limits), false, *tls);
  test::RawClient silent(running.port);
  CHECK(silent.is_closed_by_peer());
  test::RawClient half(running.port);
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  CHECK(half.is_closed_by_peer());
  test::RawClient agreed(running.port, {});
  CHECK(agreed.tls().is_agreed());
  CHECK(agreed.is_closed_by_peer());
}

TEST_CASE("a body that takes too long ends its connection") {
  const test::TempFolder folder;
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  test::RunningServer running(folder.path(), test::with(limits));
  test::RawClient slow(running.port);
  slow.send(test::request("POST", "/healthz", "Content-Length: 10\r\n") + "123");
  CHECK(slow.is_closed_by_peer());
}

TEST_CASE("an idle connection is kept only so long") {
  const test::TempFolder folder;
  Limits limits;
  limits.idle_time = std::chrono::milliseconds(50);
  test::RunningServer running(folder.path(), test::with(limits));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/healthz"));
  CHECK(client.read_reply().status == 200);
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("a client that takes nothing is given up") {
  const test::TempFolder folder;
  test::put(folder / "big.bin", "");
  std::filesystem::resize_file(folder / "big.bin", 256 * 1024 * 1024);
  Limits limits;
  limits.send_stall = std::chrono::milliseconds(100);
  limits.linger = std::chrono::milliseconds(1);
  test::RunningServer running(folder.path(), test::with(limits, std::chrono::hours(1)));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/big.bin"));
  const auto head = client.read_head();
  CHECK(head.status == 200);
  // The server's stop would wait for the answer, were it still running; it ends because the answer was given up.
  running.server.stop();
  running.thread.join();
  running.thread = std::thread([] {});
  CHECK(client.read_to_end().size() < 256 * 1024 * 1024);
}

TEST_CASE("after the stop timeout running answers are cut (L4)") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  test::RunningServer running(folder.path(), test::with({}, std::chrono::milliseconds(50)));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/held.bin"));
  CHECK(client.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  running.server.stop();
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("while stopping a kept connection's next request is told so (L4)") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  test::RunningServer running(folder.path());
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/held.bin"));
  CHECK(client.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  running.server.stop();
  client.send(test::request("GET", "/files/held.bin"));
  running.hold.let_go();
  CHECK(client.read_some(4) == "held");
  const auto refused = client.read_reply();
  CHECK(refused.status == 503);
  CHECK(refused.body.find("\"reason\":\"shutting_down\"") != std::string::npos);
  CHECK(refused.header("Retry-After") == "60");
  CHECK(refused.header("Connection") == "close");
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("a state that fails at the start or later is survived, on the environment's values, and told") {
  const test::TempFolder folder;
  test::put(folder / "a", "bytes");
  test::RunningServer running(folder.path(), {}, true);
  constexpr const char* kSettings = "/api/v1/system/downloads/settings";
  constexpr const char* kKey = "Authorization: Bearer secret\r\n";
  const auto settings = [&] { return nlohmann::json::parse(test::ask(running.port, "GET", kSettings, kKey).body); };
  const auto change = [&](std::string_view body) {
    test::RawClient client(running.port);
    client.send(test::request("PUT", kSettings, kKey + ("Content-Length: " + std::to_string(body.size()) + "\r\n")) +
                std::string(body));
    return client.read_reply().status;
  };
  const auto readiness = [&] { return nlohmann::json::parse(test::ask(running.port, "GET", "/readyz").body); };

  CHECK(test::ask(running.port, "GET", "/files/a").body == "bytes");
  CHECK(settings()["effective"]["sessions"] == 16);
  CHECK(settings()["problem"].get<std::string>().find("cannot use the database") != std::string::npos);
  CHECK(readiness()["store"] == "failing");
  CHECK(change(R"({"expectedRevision":0,"overrides":{"sessions":2}})") == 500);

  running.state.is_failing = false;
  CHECK(change(R"({"expectedRevision":0,"overrides":{"sessions":2}})") == 200);
  CHECK(settings()["problem"].is_null());
  CHECK(readiness()["store"] == "ok");

  running.state.is_failing = true;
  CHECK(settings()["effective"]["sessions"] == 2);
  CHECK(settings()["problem"].is_string());
  CHECK(test::ask(running.port, "GET", "/files/a").body == "bytes");
}
