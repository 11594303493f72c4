// SPDX-License-Identifier: Apache-2.0
// The queue of the real server, on the wire.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/rfc3339.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using nlohmann::json;
using test::ask;

namespace {

constexpr std::uint64_t kSize = 64 * kMiB;  // more than sockets hold: who does not read keeps the seat

struct Queue {
  explicit Queue(std::vector<std::string> extra = {}) {
    test::put(folder / "root" / "big.bin", "");
    std::filesystem::resize_file(folder / "root" / "big.bin", kSize);
    // Nothing that is seen to go, or is served, only went because its time was over.
    for (const char* option : {"--sessions", "1", "--bandwidth", "1GiB/s", "--hold-seconds", "3600"})
      extra.emplace_back(option);
    stub.emplace(folder / "root", extra);
  }
  // Begins a download and reads none of its bytes.
  std::unique_ptr<test::RawClient> take_seat(const std::string& id) {
    auto client = std::make_unique<test::RawClient>(stub->port);
    client->send(test::request("GET", "/files/big.bin", header(id)));
    REQUIRE(client->read_head().status == 200);
    return client;
  }
  test::Reply question(const std::string& id, const std::string& ticket = {}) {
    return ask(stub->port, "GET", "/files/big.bin",
               header(id) + (ticket.empty() ? "" : "Arkvory-Queue-Ticket: " + ticket + "\r\n"));
  }
  json ready() { return json::parse(ask(stub->port, "GET", "/readyz").body); }
  // Until the server sees it so.
  void wait_for(const std::string& member, int value) {
    while (ready().at(member) != value) {
    }
  }
  static std::string header(const std::string& id) { return "Arkvory-Download-Id: " + id + "\r\n"; }

  test::TempFolder folder;
  std::optional<test::Stub> stub;
};

const std::string kFirst = "first-0123456789";
const std::string kSecond = "second-0123456789";

}  // namespace

TEST_CASE("one seat: who comes second is told its place and start, and gets the seat when it is given up") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  CHECK(queue.question(kSecond).status == 503);
  const auto told = queue.question(kSecond);
  CHECK(told.status == 503);
  CHECK(told.header("Content-Type") == "application/problem+json");
  CHECK(told.header("Arkvory-Queue-Position") == "1");
  CHECK(parse_rfc3339(told.header("Arkvory-Starts-At")));
  CHECK(json::parse(told.body).at("startsAt") == told.header("Arkvory-Starts-At"));
  CHECK(queue.ready().at("active") == 1);
  CHECK(queue.ready().at("waiting") == 1);

  CHECK(ask(queue.stub->port, "DELETE", "/files/big.bin", Queue::header(kFirst)).status == 204);
  test::RawClient second(queue.stub->port);
  second.send(test::request("GET", "/files/big.bin", Queue::header(kSecond) + "Range: bytes=0-99\r\n"));
  CHECK(second.read_reply().status == 206);
  CHECK(ask(queue.stub->port, "DELETE", "/files/big.bin", Queue::header(kFirst)).status == 404);
}

TEST_CASE("S10: what still runs of a download that was ended is cut, so that nobody sends without a seat") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  CHECK(ask(queue.stub->port, "DELETE", "/files/big.bin", Queue::header(kFirst)).status == 204);
  CHECK(first->read_to_end().size() < kSize);
}

TEST_CASE("S10: a held client that sends more and then goes away is noticed as well") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  {
    test::RawClient held(queue.stub->port);
    held.send(test::request("GET", "/files/big.bin") + test::request("GET", "/healthz"));
    queue.wait_for("held", 1);
  }
  queue.wait_for("held", 0);
}

TEST_CASE("requests that come while one is held are answered after it") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  test::RawClient held(queue.stub->port);
  held.send(test::request("GET", "/files/big.bin", "Range: bytes=0-9\r\n"));
  queue.wait_for("held", 1);
  held.send(test::request("GET", "/healthz"));
  ask(queue.stub->port, "DELETE", "/files/big.bin", Queue::header(kFirst));
  CHECK(held.read_reply().status == 206);
  CHECK(held.read_reply().body == "ok\n");
}

TEST_CASE("one who waits is told when the object is gone") {
  Queue queue;
  const auto seated = queue.take_seat(kFirst);
  CHECK(queue.question(kSecond).status == 503);
  std::filesystem::remove(queue.folder / "root" / "big.bin");
  // What was found lately is taken to be there still, for a second.
  int status = 503;
  while (status == 503 || status == 429) status = queue.question(kSecond).status;
  CHECK(status == 404);
}

TEST_CASE("DELETE without an id is a malformed request, and ends nothing") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  const auto reply = ask(queue.stub->port, "DELETE", "/files/big.bin");
  CHECK(reply.status == 400);
  CHECK(json::parse(reply.body).at("field") == "Arkvory-Download-Id");
  CHECK(queue.ready().at("active") == 1);
}

TEST_CASE("S3: what is refused, a HEAD, a 304 and a 416 take no place") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  const auto tag =
      ask(queue.stub->port, "GET", "/files/big.bin", "Range: bytes=0-0\r\nArkvory-Download-Id: " + kFirst + "\r\n")
          .header("ETag");
  test::RawClient head(queue.stub->port);
  head.send(test::request("HEAD", "/files/big.bin", Queue::header(kSecond)));
  CHECK(head.read_reply(false).status == 200);
  const auto with = [&](const std::string& line) {
    return ask(queue.stub->port, "GET", "/files/big.bin", Queue::header(kSecond) + line + "\r\n").status;
  };
  CHECK(with("Arkvory-Download-Class: urgent") == 400);
  CHECK(with("If-Match: \"other\"") == 412);
  CHECK(with("If-None-Match: " + tag) == 304);
  CHECK(with("Range: bytes=99999999999-") == 416);
  CHECK(ask(queue.stub->port, "GET", "/files/none", Queue::header(kSecond)).status == 404);
  CHECK(ask(queue.stub->port, "GET", "/files/big.bin", "Arkvory-Download-Id: short\r\n").status == 400);
  CHECK(queue.ready().at("waiting") == 0);
}

TEST_CASE("a bad ticket is ignored, never an error: the download queues afresh") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  const auto ticket = queue.question(kSecond).header("Arkvory-Queue-Ticket");
  for (const auto& bad : {std::string("nonsense"), "1." + ticket.substr(2), ticket + "x", std::string(500, 'a')}) {
    CAPTURE(bad);
    CHECK(queue.question("third-0123456789", bad).status == 503);
  }
}

TEST_CASE("a client without an id is held, and served the instant the seat is free") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  test::RawClient held(queue.stub->port);
  held.send(test::request("GET", "/files/big.bin", "Range: bytes=0-9\r\n"));
  queue.wait_for("held", 1);
  ask(queue.stub->port, "DELETE", "/files/big.bin", Queue::header(kFirst));
  const auto reply = held.read_reply();
  CHECK(reply.status == 206);
  CHECK(reply.is_whole);
  CHECK(queue.ready().at("held") == 0);
}

TEST_CASE("S10: a held client that goes away is noticed at once, and its place is gone") {
  Queue queue;
  auto first = queue.take_seat(kFirst);
  {
    test::RawClient held(queue.stub->port);
    held.send(test::request("GET", "/files/big.bin"));
    queue.wait_for("held", 1);
  }
  queue.wait_for("held", 0);
  CHECK(queue.ready().at("waiting") == 0);
}

TEST_CASE("S8, S10: a client that is cut off keeps its seat for the idle time, then the next one has it") {
  Queue queue({"--idle-seconds", "1"});
  auto first = queue.take_seat(kFirst);
  first.reset();
  test::RawClient held(queue.stub->port);
  held.send(test::request("GET", "/files/big.bin", "Range: bytes=0-9\r\n"));
  CHECK(held.read_reply().status == 206);
}

TEST_CASE("L4: at the stop who is held is told to come back, and the exit status is 0") {
  Queue queue({"--stop-timeout", "1s"});
  auto first = queue.take_seat(kFirst);
  test::RawClient held(queue.stub->port);
  held.send(test::request("GET", "/files/big.bin"));
  queue.wait_for("held", 1);
  queue.stub->process.kill(SIGTERM);
  const auto reply = held.read_reply();
  CHECK(reply.status == 503);
  CHECK(json::parse(reply.body).at("reason") == "shutting_down");
  const auto end = queue.stub->process.wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
}

TEST_CASE("SIGHUP reads the principals again; a broken file changes nothing") {
  const test::TempFolder folder;
  const auto principals = (folder / "principals.json").string();
  test::put(folder / "root" / "a.txt", "bytes");
  test::put(folder / "principals.json", R"({"principals":[],"links":[]})");
  test::Stub stub(folder / "root", {"--principals", principals});
  const auto added = test::run({ARKVORY_STUB, "token", "anna", "--kind", "person", "--principals", principals});
  const auto bearer = "Authorization: Bearer " + added.output.substr(0, 43) + "\r\n";
  CHECK(ask(stub.port, "GET", "/files/a.txt", bearer).status == 401);
  stub.process.kill(SIGHUP);
  while (ask(stub.port, "GET", "/files/a.txt", bearer).status == 401) {
  }
  CHECK(ask(stub.port, "GET", "/files/a.txt", bearer).body == "bytes");
  test::put(folder / "principals.json", "{");
  stub.process.kill(SIGHUP);
  while (true) {
    const auto line = stub.process.read_error_line(std::chrono::seconds(20));
    REQUIRE(line);
    if (line->find("principals_kept") != std::string::npos) break;
  }
  CHECK(ask(stub.port, "GET", "/files/a.txt", bearer).status == 200);
}

TEST_CASE("a body that is paced comes whole and right") {
  const test::TempFolder folder;
  std::string bytes;
  for (std::uint32_t i = 0; bytes.size() < 3 * kMiB; ++i) bytes += std::to_string(i * 2654435761U);
  test::put(folder / "root" / "paced.bin", bytes);
  test::Stub stub(folder / "root", {"--bandwidth", "20MiB/s", "--session-min-bytes", "1KiB"});
  const auto reply = ask(stub.port, "GET", "/files/paced.bin");
  CHECK(reply.is_whole);
  CHECK((reply.body == bytes));
}
