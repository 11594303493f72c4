// SPDX-License-Identifier: Apache-2.0
// What the real server shows its operator, and what neither its pages nor its logs ever show.
#include <doctest/doctest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/server/exposition.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using test::ask;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string token(const std::filesystem::path& principals, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {ARKVORY_STUB, "token"});
  arguments.insert(arguments.end(), {"--principals", principals.string()});
  const auto finished = test::run(arguments);
  REQUIRE(finished.output.size() == 44);
  return finished.output.substr(0, 43);
}

std::string field(const std::string& name, const std::string& value) { return name + ": " + value + "\r\n"; }

// A server with principals that has been asked in many ways, right and wrong, by those who have secrets.
struct Asked {
  explicit Asked(const std::string& form) : log(folder / "access.log") {
    const auto principals = folder / "principals.json";
    test::put(folder / "root" / "big.bin", "");
    std::filesystem::resize_file(folder / "root" / "big.bin", 64 * kMiB);
    test::put(folder / "root" / "small.bin", "bytes");
    alice = token(principals, {"alice", "--kind", "person"});
    test::put(folder / "keys", "ops f9aa5bb63288b2d112b28a9aef9b8e4e7d50cb5cedf850c741104da3c56466a4\n");
    link = token(principals, {"l1", "--kind", "link", "--path", "small.bin", "--issuer", "alice"});
    stub.emplace(folder / "root",
                 std::vector<std::string>{"--principals", principals.string(), "--access-log", log.string(), "--log",
                                          form, "--sessions", "1", "--state", (folder / "state").string(),
                                          "--control-key-file", (folder / "keys").string()});
    by_alice = field("Authorization", "Bearer " + alice);
    ask_with_ids();
    ask_by_link();
    ask_wrongly();
    const auto by_operator = field("Authorization", "Bearer " + control_key);
    queue = ask(stub->port, "GET", "/api/v1/system/downloads/queue?key=" + control_key, by_operator);
    CHECK(queue.status == 200);
    // A principals file that can't be used, with a token where its hash belongs.
    test::put(principals, R"({"principals":[{"name":"alice","kind":"person","tokenSha256":")" + alice + "\"}]}");
    stub->process.kill(SIGHUP);
    while (const auto line = stub->process.read_error_line(std::chrono::seconds(20))) {
      operational += *line + "\n";
      if (line->find("principals_kept") != std::string::npos) break;
    }
    metrics = ask(stub->port, "GET", "/metrics");
    readiness = ask(stub->port, "GET", "/readyz").body;
  }

  void ask_with_ids() {
    test::RawClient seated(stub->port);
    seated.send(test::request("GET", "/files/big.bin", by_alice + field("Arkvory-Download-Id", id)));
    const auto head = seated.read_head();
    CHECK(head.status == 200);
    ticket = head.header("Arkvory-Queue-Ticket");
    REQUIRE(!ticket.empty());
    const auto waiting = by_alice + field("Arkvory-Download-Id", other_id);
    CHECK(ask(stub->port, "GET", "/files/big.bin", waiting).status == 503);
    CHECK(ask(stub->port, "GET", "/files/big.bin", waiting + field("Arkvory-Queue-Ticket", ticket)).status == 503);
    CHECK(ask(stub->port, "DELETE", "/files/big.bin", waiting).status == 204);
    CHECK(ask(stub->port, "GET", "/files/big.bin", by_alice + field("Arkvory-Download-Id", broken_id)).status == 400);
  }

  void ask_by_link() {
    CHECK(ask(stub->port, "GET", "/d/" + link).status == 200);
    CHECK(ask(stub->port, "HEAD", "/d/" + link + "?token=" + link).status == 200);
    CHECK(ask(stub->port, "POST", "/d/" + link).status == 405);
    for (const auto* prefix : {"//d/", "/./d/", "/files/../d/", "/D/", "/%64/", "/d%2f", "http://127.0.0.1/d/"}) {
      CAPTURE(prefix);
      CHECK(ask(stub->port, "GET", prefix + link).status != 0);
    }
    CHECK(ask(stub->port, "GET", "/files/small.bin?access_token=" + alice, by_alice).status == 200);
    CHECK(ask(stub->port, "GET", "http://" + alice + "@127.0.0.1/files/small.bin", by_alice).status != 0);
  }

  void ask_wrongly() {
    CHECK(ask(stub->port, "GET", "/files/small.bin", field("Authorization", "Basic " + alice)).status == 401);
    CHECK(ask(stub->port, "GET", "/files/small.bin", by_alice + by_alice).status == 400);
    CHECK(ask(stub->port, "GET", "/files/small.bin", by_alice + " folded " + alice + "\r\n").status == 400);
    CHECK(ask(stub->port, "GET", "/files/" + std::string(4096, 'x') + link, by_alice).status == 414);
    test::RawClient broken(stub->port);
    broken.send("GET /d/" + link + " HTTP/1.1\n" + by_alice + "\r\n");
    CHECK(broken.read_reply().status == 400);
  }

  void check_that_none_is_in(const std::string& text) const {
    CAPTURE(text);
    for (const auto& secret : {alice, link, control_key, ticket, id, other_id, broken_id})
      CHECK(text.find(secret) == std::string::npos);
  }

  test::TempFolder folder;
  std::filesystem::path log;
  std::string alice;
  std::string link;
  std::string by_alice;
  std::string ticket{};
  const std::string id = "id-of-a-seat-0123456789";
  const std::string other_id = "id-of-one-who-waits-0123456789";
  const std::string broken_id = "id-that-is-none!";
  const std::string control_key = "control-key-of-ops-0123456789";
  test::Reply queue{};
  test::Reply metrics{};
  std::string readiness{};
  std::string operational{};  // the log's lines up to that of the file that can't be used
  std::optional<test::Stub> stub;
};

}  // namespace

TEST_CASE("/metrics is open to this machine, whoever asks, and keeps the rules of its format") {
  const test::TempFolder folder;
  test::put(folder / "root" / "a", "bytes");
  test::Stub stub(folder / "root");
  CHECK(ask(stub.port, "GET", "/files/a").status == 200);
  CHECK(ask(stub.port, "GET", "/files/none").status == 404);
  const auto reply = ask(stub.port, "GET", "/metrics");
  CHECK(reply.status == 200);
  CHECK(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(reply.header("Cache-Control") == "no-store");
  const auto read = test::read_exposition(reply.body);
  CHECK(read.problems == std::vector<std::string>{});
  CHECK(read.value("arkvory_answers_total", {{"status", "200"}}) == 1);
  CHECK(read.value("arkvory_answers_total", {{"status", "404"}}) == 1);
  CHECK(read.value("arkvory_connections_accepted_total") == 3);
  CHECK(read.value("arkvory_sent_bytes_total").value_or(0) > 100);
  test::RawClient client(stub.port);
  client.send(test::request("HEAD", "/metrics"));
  CHECK(client.read_reply(false).status == 200);
  CHECK(ask(stub.port, "POST", "/metrics").status == 405);
  CHECK(ask(stub.port, "GET", "/metrics", field("X-Forwarded-For", "192.0.2.1")).status == 404);
}

TEST_CASE("without a control key the queue is not shown, not even that there is one") {
  const test::TempFolder folder;
  test::put(folder / "root" / "a", "bytes");
  test::Stub stub(folder / "root");
  CHECK(ask(stub.port, "GET", "/api/v1/system/downloads/queue").status == 404);
}

TEST_CASE("with its control key an operator sees the queue, and who waits by name") {
  const test::TempFolder folder;
  test::put(folder / "root" / "big.bin", "");
  std::filesystem::resize_file(folder / "root" / "big.bin", 64 * kMiB);
  // Of the word `key`.
  test::put(folder / "keys", "ops 2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683\n");
  test::Stub stub(folder / "root", {"--control-key-file", (folder / "keys").string(), "--sessions", "1"});
  test::RawClient seated(stub.port);
  seated.send(test::request("GET", "/files/big.bin", field("Arkvory-Download-Id", "first-0123456789")));
  CHECK(seated.read_head().status == 200);
  CHECK(ask(stub.port, "GET", "/files/big.bin", field("Arkvory-Download-Id", "second-0123456789")).status == 503);
  const std::string queue = "/api/v1/system/downloads/queue";
  CHECK(ask(stub.port, "GET", queue).status == 401);
  CHECK(ask(stub.port, "GET", queue, field("Authorization", "Bearer other")).status == 401);
  const auto key = field("Authorization", "Bearer key");
  const auto reply = ask(stub.port, "GET", queue, key);
  CHECK(reply.status == 200);
  const auto view = nlohmann::json::parse(reply.body);
  CHECK(view.at("classes").at("interactive").at("active") == 1);
  CHECK(view.at("classes").at("interactive").at("waiting") == 1);
  CHECK(view.at("principals") == nlohmann::json::parse(R"([{"name":"anonymous","waiting":1,"active":1}])"));
  CHECK(reply.body.find("0123456789") == std::string::npos);
  CHECK(ask(stub.port, "DELETE", queue, key).header("Allow") == "GET, HEAD");
  const auto by_way = field("Via", "1.1 proxy");
  CHECK(ask(stub.port, "GET", "/metrics", by_way).status == 401);
  CHECK(ask(stub.port, "GET", "/metrics", by_way + key).status == 200);
}

TEST_CASE("no token, key, ticket, download id or link is in a log of either form, or in what operators are shown") {
  for (const std::string form : {"text", "json"}) {
    CAPTURE(form);
    Asked asked(form);
    CHECK(asked.stub->stop() == 0);
    const auto access = text_of(asked.log);
    asked.check_that_none_is_in(access);
    asked.check_that_none_is_in(asked.operational + asked.stub->process.error_output());
    asked.check_that_none_is_in(asked.metrics.body);
    asked.check_that_none_is_in(asked.readiness);
    asked.check_that_none_is_in(asked.queue.body);
    // What should be there is: else nothing was looked at.
    CHECK(access.find("/files/big.bin") != std::string::npos);
    CHECK(access.find("/d/…") != std::string::npos);
    CHECK(asked.operational.find("principals_kept") != std::string::npos);
    CHECK(asked.metrics.body.find("arkvory_refused_tickets_total{reason=\"foreign\"} 1") != std::string::npos);
  }
}
