// SPDX-License-Identifier: Apache-2.0
// What a restart of the real server leaves of the queue (T1, protocol.md §4).
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

struct Restartable {
  Restartable() {
    test::put(folder / "root" / "big.bin", "");
    std::filesystem::resize_file(folder / "root" / "big.bin", 64 * kMiB);
  }
  void start(const std::string& grace) {
    stub.emplace(folder / "root",
                 std::vector<std::string>{"--sessions", "1", "--bandwidth", "1MiB/s", "--restart-grace-seconds", grace,
                                          "--state", (folder / "state").string()});
  }
  void kill() {
    stub->process.kill(SIGKILL);
    REQUIRE(stub->process.wait());
  }
  test::Reply ask(const std::string& id, const std::string& ticket = {}) {
    return test::ask(stub->port, "GET", "/files/big.bin",
                     "Range: bytes=0-99\r\nArkvory-Download-Id: " + id + "\r\n" +
                         (ticket.empty() ? "" : "Arkvory-Queue-Ticket: " + ticket + "\r\n"));
  }
  // That tickets were issued is noted by a worker.
  void wait_for_note() {
    while (true) {
      const auto line = stub->process.read_error_line(std::chrono::seconds(20));
      REQUIRE(line);
      if (line->find("queue_noted") != std::string::npos) return;
    }
  }

  test::TempFolder folder;
  std::optional<test::Stub> stub;
};

std::string id_of(int number) { return "waiting-client-" + std::to_string(number); }

}  // namespace

TEST_CASE("T1: after SIGKILL and a restart 500 who wait are in line as before, in whatever order they come back") {
  constexpr int kWaiting = 500;
  Restartable server;
  server.start("600");
  CHECK(server.ask("active-0123456789").status == 206);
  std::vector<std::string> tickets;
  for (int i = 0; i < kWaiting; ++i) {
    const auto reply = server.ask(id_of(i));
    REQUIRE(reply.status == 503);
    tickets.push_back(reply.header("Arkvory-Queue-Ticket"));
  }
  server.wait_for_note();
  server.kill();

  server.start("600");
  // In the grace nobody takes the free seat, not even one who comes first.
  CHECK(server.ask("newcomer-0123456789").status == 503);
  std::vector<int> order(kWaiting);
  for (int i = 0; i < kWaiting; ++i) order[static_cast<std::size_t>(i)] = i;
  Rng rng(11);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  for (const int i : order) CHECK(server.ask(id_of(i), tickets[static_cast<std::size_t>(i)]).status == 503);
  for (int i = 0; i < kWaiting; ++i) {
    const auto reply = server.ask(id_of(i), tickets[static_cast<std::size_t>(i)]);
    CHECK(reply.header("Arkvory-Queue-Position") == std::to_string(i + 1));
  }
  CHECK(server.ask("newcomer-0123456789").header("Arkvory-Queue-Position") == std::to_string(kWaiting + 1));
}

TEST_CASE("T1: a state folder that knows of no tickets brings no grace") {
  Restartable server;
  server.start("600");
  server.kill();
  server.start("600");
  CHECK(server.ask("newcomer-0123456789").status == 206);
}

TEST_CASE("T2: the ticket of a finished download restores nothing") {
  const test::TempFolder folder;
  test::put(folder / "root" / "small.bin", std::string(100'000, 'x'));
  test::put(folder / "root" / "big.bin", "");
  std::filesystem::resize_file(folder / "root" / "big.bin", 64 * kMiB);
  test::Stub stub(folder / "root", {"--sessions", "1", "--session-min-bytes", "1KiB"});
  const std::string finished = "Arkvory-Download-Id: finished-0123456789\r\n";
  const auto whole = test::ask(stub.port, "GET", "/files/small.bin", finished);
  REQUIRE(whole.is_whole);
  const auto ticket = whole.header("Arkvory-Queue-Ticket");
  REQUIRE(ticket.starts_with("2."));

  test::RawClient seated(stub.port);
  seated.send(test::request("GET", "/files/big.bin", "Arkvory-Download-Id: seated-0123456789\r\n"));
  REQUIRE(seated.read_head().status == 200);
  const auto again =
      test::ask(stub.port, "GET", "/files/small.bin", finished + "Arkvory-Queue-Ticket: " + ticket + "\r\n");
  CHECK(again.status == 503);
  const auto arrival = [](const std::string& text) { return text.substr(2, text.find('.', 2) - 2); };
  CHECK(arrival(again.header("Arkvory-Queue-Ticket")) != arrival(ticket));
}
