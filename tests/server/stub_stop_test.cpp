// SPDX-License-Identifier: Apache-2.0
// The end of the real server, and what it wrote down.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("SIGTERM lets a running answer end whole, ends idle connections, and the exit status is 0 (L4)") {
  const test::TempFolder folder;
  const std::size_t size = 64 * 1024 * 1024;
  test::put(folder / "big", std::string(size, 'b'));
  test::Stub stub(folder.path());
  test::RawClient idle(stub.port);
  idle.send(test::request("GET", "/healthz"));
  CHECK(idle.read_reply().status == 200);
  test::RawClient running(stub.port);
  running.send(test::request("GET", "/files/big"));
  CHECK(running.read_head().status == 200);
  stub.process.kill(SIGTERM);
  CHECK(idle.is_closed_by_peer());
  running.send(test::request("GET", "/files/big"));
  std::size_t received = 0;
  while (received < size) {
    const auto some = running.read_some(size - received);
    REQUIRE(!some.empty());
    received += some.size();
  }
  const auto refused = running.read_reply();
  CHECK(refused.status == 503);
  CHECK(!refused.header("Retry-After").empty());
  CHECK(running.is_closed_by_peer());
  const auto end = stub.process.wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
}

TEST_CASE("a client that never finishes is cut after the stop timeout, exit status 0 (L4)") {
  const test::TempFolder folder;
  test::put(folder / "big", "");
  std::filesystem::resize_file(folder / "big", 256 * 1024 * 1024);
  test::Stub stub(folder.path(), {"--stop-timeout", "100ms"});
  test::RawClient running(stub.port);
  running.send(test::request("GET", "/files/big"));
  CHECK(running.read_head().status == 200);
  CHECK(stub.stop() == 0);
}

TEST_CASE("a second signal cuts at once") {
  const test::TempFolder folder;
  test::put(folder / "big", "");
  std::filesystem::resize_file(folder / "big", 256 * 1024 * 1024);
  test::Stub stub(folder.path(), {"--stop-timeout", "1h", "--log", "json"});
  test::RawClient running(stub.port);
  running.send(test::request("GET", "/files/big"));
  CHECK(running.read_head().status == 200);
  stub.process.kill(SIGTERM);
  std::string event;
  while (event != "stopping") {
    const auto line = stub.process.read_error_line(std::chrono::seconds(20));
    REQUIRE(line);
    event = nlohmann::json::parse(*line)["event"];
  }
  CHECK(stub.stop() == 0);
}

TEST_CASE("the access log has a line per answer, without ids, tokens or queries") {
  const test::TempFolder folder;
  test::put(folder / "root/a", "alpha");
  const auto log = folder / "access";
  test::Stub stub(folder / "root", {"--access-log", log.string()});
  test::ask(stub.port, "GET", "/files/a?sig=topsecret",
            "Range: bytes=1-2\r\nArkvory-Download-Id: secretid01234567\r\n");
  test::ask(stub.port, "HEAD", "/files/a");
  test::ask(stub.port, "GET", "/d/topsecret");
  test::RawClient(stub.port).send("nonsense\r\n\r\n");
  CHECK(stub.stop() == 0);
  const auto text = text_of(log);
  CAPTURE(text);
  CHECK(text.find(" GET /files/a?… 206 \"bytes=1-2\" 2 0.") != std::string::npos);
  CHECK(text.find(" HEAD /files/a 200 - 0 0.") != std::string::npos);
  CHECK(text.find(" GET /d/… 404 - ") != std::string::npos);
  CHECK(text.find("secret") == std::string::npos);
}
