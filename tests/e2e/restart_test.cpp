// SPDX-License-Identifier: Apache-2.0
// A server that goes away in the middle and comes back.
#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"

using namespace arkvory;

TEST_CASE("a server killed in the middle and started again: the client goes on by itself, right to the last byte") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(9, 192 * kMiB);
  test::put(client.beside("root") / "object.bin", bytes);
  // The log comes through the pipe, so that an answer that ended is an event to wait for.
  test::Stub first(client.beside("root"), {"--access-log", "/dev/stdout"});
  const auto port = std::to_string(first.port);
  const auto url = "http://127.0.0.1:" + port + "/files/object.bin";
  test::Process process(
      client.command("download", {"--json", "--range-size", "256KiB", "--sha256", test::hex_sha256(bytes), url}),
      client.options());
  // A few answers of many: the rest takes the client far longer than the signal its way.
  for (int answers = 0; answers < 10; ++answers) REQUIRE(first.process.read_line(std::chrono::seconds(30)));
  first.process.kill(SIGKILL);
  REQUIRE(first.process.wait());
  // Whichever comes first, so that a client that gives up shows how.
  auto event = nlohmann::json::object();
  while (event.value("event", "") != "waiting" && event.value("event", "") != "result") {
    const auto line = process.read_line(std::chrono::seconds(30));
    REQUIRE(line);
    event = nlohmann::json::parse(*line);
  }
  CAPTURE(event.dump());
  REQUIRE(event.at("event") == "waiting");
  CHECK((event.at("reason") == "fault" || event.at("reason") == "network"));
  CHECK(!std::filesystem::exists(client.file("object.bin")));

  const test::Stub second(client.beside("root"), {"--listen", "127.0.0.1:" + port});
  CHECK(second.port == first.port);
  const auto result = test::next_event(process, "result", std::chrono::minutes(1));
  const auto end = process.wait();
  CAPTURE(process.error_output());
  REQUIRE(result);
  CAPTURE(result->dump());
  CHECK(result->at("status") == "ok");
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK(test::holds(client.file("object.bin"), bytes));
  CHECK(client.names() == std::set<std::string>{"object.bin"});
}
