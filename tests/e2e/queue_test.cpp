// SPDX-License-Identifier: Apache-2.0
// The real client in the queue of the real server.
#include <doctest/doctest.h>
#include <signal.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"
#include "tests/support/tls_server.h"

using namespace arkvory;
using nlohmann::json;

namespace {

using Options = std::vector<std::string>;

// A server with one seat, and an object large enough that who does not read keeps the seat.
struct OneSeat {
  // Of an option that comes twice the last one counts.
  explicit OneSeat(const Options& extra = {}) {
    test::put(folder.beside("root") / "object.bin", bytes);
    options = {"--sessions", "1", "--bandwidth", "100MiB/s"};
    options.insert(options.end(), extra.begin(), extra.end());
    start("127.0.0.1:0");
  }
  void start(const std::string& listen) {
    auto all = options;
    all.insert(all.end(), {"--listen", listen, "--state", folder.beside("state").string()});
    stub.emplace(folder.beside("root"), all);
    port = stub->port;
  }
  // On the same port.
  void restart() {
    stub->process.kill(SIGKILL);
    REQUIRE(stub->process.wait());
    start("127.0.0.1:" + std::to_string(port));
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port) + "/files/object.bin"; }
  // Takes the seat and reads nothing.
  std::unique_ptr<test::RawClient> take_seat() const {
    auto client = std::make_unique<test::RawClient>(port);
    client->send(test::request("GET", "/files/object.bin", "Arkvory-Download-Id: " + std::string(kHolder) + "\r\n"));
    REQUIRE(client->read_head().status == 200);
    return client;
  }
  void give_up_seat() const {
    REQUIRE(test::ask(port, "DELETE", "/files/object.bin", "Arkvory-Download-Id: " + std::string(kHolder) + "\r\n")
                .status == 204);
  }
  json ready() const { return json::parse(test::ask(port, "GET", "/readyz").body); }

  static constexpr const char* kHolder = "holder-0123456789";
  const std::vector<std::byte> bytes = test::pattern(4, 64 * kMiB);
  test::ClientFolder folder;
  Options options;
  std::optional<test::Stub> stub;
  std::uint16_t port = 0;
};

// The first `waiting` event that tells a place.
json wait_for_place(test::Process& client) {
  while (true) {
    const auto event = test::next_event(client, "waiting", std::chrono::minutes(1));
    REQUIRE(event);
    if (event->contains("position")) return *event;
  }
}

}  // namespace

TEST_CASE("eight clients on one seat: all complete with the right bytes, and every sum returns to zero") {
  OneSeat server({"--access-log", "/dev/stdout"});
  const auto digest = test::hex_sha256(server.bytes);
  std::vector<std::unique_ptr<test::ClientFolder>> folders;
  std::vector<std::unique_ptr<test::Process>> clients;
  for (int i = 0; i < 8; ++i) {
    folders.push_back(std::make_unique<test::ClientFolder>());
    clients.push_back(std::make_unique<test::Process>(
        folders.back()->command("download", {"-q", "--sha256", digest, server.url()}), folders.back()->options()));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto end = clients[i]->wait(std::chrono::minutes(4));
    REQUIRE(end);
    CAPTURE(clients[i]->error_output());
    CHECK(end->exit_code == 0);
    CHECK(test::holds(folders[i]->file("object.bin"), server.bytes));
    CHECK(folders[i]->names() == std::set<std::string>{"object.bin"});
  }
  const auto ready = server.ready();
  CHECK(ready.at("active") == 0);
  CHECK(ready.at("waiting") == 0);
}

TEST_CASE("over TLS: clients on one seat wait for each other, and all complete with the right bytes") {
  const test::TlsServer identity;
  const auto key = identity.key_pem();
  const test::TempFolder keys;
  test::put(keys / "cert.pem", std::as_bytes(std::span(identity.certificate_pem())));
  test::put(keys / "key.pem", std::as_bytes(std::span(key)));
  const auto certificate = (keys / "cert.pem").string();
  OneSeat server({"--tls-cert", certificate, "--tls-key", (keys / "key.pem").string()});
  const auto url = "https" + server.url().substr(4);
  const auto digest = test::hex_sha256(server.bytes);
  std::array<test::ClientFolder, 3> folders;
  std::vector<std::unique_ptr<test::Process>> clients;
  for (const auto& folder : folders)
    clients.push_back(std::make_unique<test::Process>(
        folder.command("download", {"-q", "--cacert", certificate, "--sha256", digest, url}), folder.options()));
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto end = clients[i]->wait(std::chrono::minutes(4));
    REQUIRE(end);
    CAPTURE(clients[i]->error_output());
    CHECK(end->exit_code == 0);
    CHECK(test::holds(folders[i].file("object.bin"), server.bytes));
  }
}

TEST_CASE("SIGKILL while queued: the next run has the same id and the same place") {
  OneSeat server;
  const auto seat = server.take_seat();
  const test::ClientFolder early;
  const test::ClientFolder late;
  const auto command = early.command("download", {"--json", server.url()});
  std::string id;
  {
    test::Process first(command, early.options());
    id = test::next_event(first, "start")->at("id");
    CHECK(wait_for_place(first).at("position") == 1);
    first.kill(SIGKILL);
    REQUIRE(first.wait());
  }
  test::Process behind(late.command("download", {"--json", server.url()}), late.options());
  CHECK(wait_for_place(behind).at("position") == 2);

  test::Process second(command, early.options());
  CHECK(test::next_event(second, "start")->at("id") == id);
  CHECK(wait_for_place(second).at("position") == 1);
  server.give_up_seat();
  const auto result = test::next_event(second, "result", std::chrono::minutes(1));
  REQUIRE(result);
  CHECK(result->at("status") == "ok");
  CHECK(test::holds(early.file("object.bin"), server.bytes));
}

TEST_CASE("a server killed and restarted while clients wait: they find their places again, and all complete") {
  OneSeat server({"--restart-grace-seconds", "3"});
  const auto seat = server.take_seat();
  std::vector<std::unique_ptr<test::ClientFolder>> folders;
  std::vector<std::unique_ptr<test::Process>> clients;
  for (int i = 0; i < 3; ++i) {
    folders.push_back(std::make_unique<test::ClientFolder>());
    clients.push_back(std::make_unique<test::Process>(folders.back()->command("download", {"--json", server.url()}),
                                                      folders.back()->options()));
    CHECK(wait_for_place(*clients.back()).at("position") == i + 1);
  }
  while (true) {
    const auto line = server.stub->process.read_error_line(std::chrono::seconds(20));
    REQUIRE(line);
    if (line->find("queue_noted") != std::string::npos) break;
  }
  server.restart();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto result = test::next_event(*clients[i], "result", std::chrono::minutes(2));
    REQUIRE(result);
    CAPTURE(result->dump());
    CHECK(result->at("status") == "ok");
    CHECK(test::holds(folders[i]->file("object.bin"), server.bytes));
  }
}

TEST_CASE("--wait-limit: exit 3 in the queue, and what is on disk keeps the place for a run without the limit") {
  OneSeat server;
  const auto seat = server.take_seat();
  const test::ClientFolder client;
  const auto stopped = client.run("download", {"--wait-limit", "1s", server.url()});
  CHECK(stopped.end.exit_code == 3);
  CAPTURE(stopped.error_output);
  CHECK(stopped.error_output.find("1 s") != std::string::npos);
  CHECK(client.names() == std::set<std::string>{"object.bin.arkvory", "object.bin.arkvory-part"});
  CHECK(client.list().size() == 1);
  server.give_up_seat();
  CHECK(client.run("resume", {"object.bin"}).end.exit_code == 0);
  CHECK(test::holds(client.file("object.bin"), server.bytes));
}

TEST_CASE("--not-after: exit 4 as soon as the start that the server tells is later") {
  OneSeat server({"--bandwidth", "64KiB/s"});
  const auto seat = server.take_seat();
  const test::ClientFolder client;
  const auto ended = client.run("download", {"--not-after", "+10min", server.url()});
  CHECK(ended.end.exit_code == 4);
}

TEST_CASE("a resumed download ends its session by itself: the seat is free at once for the next one") {
  OneSeat server({"--bandwidth", "16MiB/s", "--access-log", "/dev/stdout"});
  const test::ClientFolder client;
  {
    test::Process first(client.command("download", {"--json", "--range-size", "1MiB", server.url()}), client.options());
    REQUIRE(test::next_progress(first, 1));
    first.kill(SIGTERM);
    REQUIRE(first.wait());
  }
  const auto second = client.run("download", {"--json", server.url()});
  CHECK(second.end.exit_code == 0);
  CHECK(server.ready().at("active") == 0);
  std::string log;
  CAPTURE(second.output);
  CAPTURE(log);
  while (true) {
    const auto line = server.stub->process.read_line(std::chrono::seconds(20));
    REQUIRE(line);
    log += *line + "\n";
    // 404 where it has been over before: all its bytes were sent, though some of them were lost with the first client.
    if (line->find("DELETE /files/object.bin 204") != std::string::npos) break;
    if (line->find("DELETE /files/object.bin 404") != std::string::npos) break;
  }
}
