// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/log.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "server-stub/http/listen_address.h"
#include "server-stub/http/target.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr WallTime kTime{std::chrono::seconds(784111777)};

ServedAnswer served() { return {kTime, "GET", "/files/a", 206, "bytes=0-9", 10, std::chrono::milliseconds(1500)}; }

}  // namespace

TEST_CASE("an access line tells the answer and hides what is secret") {
  CHECK(access_line(LogForm::text, served()) == "1994-11-06T08:49:37.000Z GET /files/a 206 \"bytes=0-9\" 10 1.500000");
  auto link = served();
  link.target = "/d/topsecret?x=topsecret";
  link.range = "";
  CHECK(access_line(LogForm::text, link) == "1994-11-06T08:49:37.000Z GET /d/… 206 - 10 1.500000");
  const auto json = nlohmann::json::parse(access_line(LogForm::json, served()));
  CHECK(json["target"] == "/files/a");
  CHECK(json["status"] == 206);
  CHECK(json["bytes"] == 10);
  CHECK(json["seconds"] == 1.5);
}

TEST_CASE("an access line stays one line whatever was asked") {
  auto hostile = served();
  hostile.target = "/files/\x1b[2J\n\"x";
  hostile.range = "bytes=\"\\\r\n";
  const auto line = access_line(LogForm::text, hostile);
  CHECK(line.find_first_of("\r\n\x1b") == std::string::npos);
  CHECK(line.find("\\x1b[2J\\x0a\\x22x") != std::string::npos);
  CHECK(access_line(LogForm::text, {kTime, "", "", 400, "", 0, {}}) == "1994-11-06T08:49:37.000Z - - 400 - 0 0.000000");
}

TEST_CASE("tokens of links and queries are redacted however they are written") {
  CHECK(redacted("/files/a?sig=secret") == "/files/a?…");
  CHECK(redacted("/d/secret") == "/d/…");
  CHECK(redacted("//d/secret") == "/d/…");
  CHECK(redacted("/%64/secret") == "/d/…");
  CHECK(redacted("http://host/d/secret") == "/d/…");
  for (const char* spelling :
       {"/D/secret", "/./d/secret", "/files/../d/secret", "/%2E/d/secret", "/d%2Fsecret", "d/secret", "/d//secret",
        "/files/%2e%2e/%64/secret", "/d/secret/..", "/../d/./secret", "/%64/sec%ret"}) {
    CAPTURE(spelling);
    CHECK(redacted(spelling) == "/d/…");
  }
  CHECK(redacted("http://name:secret@host/files/x") == "/files/x");
  CHECK(redacted("/files/d/x") == "/files/d/x");
  CHECK(redacted("/d/../files/x") == "/d/../files/x");
  CHECK(redacted("/d") == "/d");
}

TEST_CASE("a log line has its fields in both forms") {
  CHECK(
      log_line(LogForm::text, kTime, LogLevel::info, "stopping", {{"running", std::uint64_t{3}}, {"why", "a \"b\""}}) ==
      "1994-11-06T08:49:37.000Z info stopping running=3 why=\"a \\x22b\\x22\"");
  const auto json =
      nlohmann::json::parse(log_line(LogForm::json, kTime, LogLevel::warning, "cut", {{"n", std::uint64_t{1}}}));
  CHECK(json["level"] == "warning");
  CHECK(json["event"] == "cut");
  CHECK(json["n"] == 1);
}

TEST_CASE("lines are appended whole and in order") {
  const test::TempFolder folder;
  {
    auto lines = LineWriter::open(folder / "log");
    REQUIRE(lines);
    for (int i = 0; i < 1000; ++i) (*lines)->write(std::to_string(i));
    CHECK((*lines)->flush(std::chrono::seconds(20)));
    (*lines)->write("last");
  }
  std::ifstream file(folder / "log");
  std::string line;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(std::getline(file, line));
    CHECK(line == std::to_string(i));
  }
  CHECK(std::getline(file, line));
  CHECK(line == "last");
  CHECK(LineWriter::open(folder / "no" / "log").error().fault == Fault::local);
}

TEST_CASE("an address to listen on is a literal one with a port") {
  const auto four = ListenAddress::parse("127.0.0.1:8080");
  REQUIRE(four);
  CHECK(four->url(false) == "http://127.0.0.1:8080");
  CHECK(four->is_loopback());
  CHECK(ListenAddress::parse("127.9.9.9:0")->is_loopback());
  const auto six = ListenAddress::parse("[::1]:0");
  REQUIRE(six);
  CHECK(six->url(true) == "https://[::1]:0");
  CHECK(six->is_loopback());
  CHECK(!ListenAddress::parse("0.0.0.0:80")->is_loopback());
  CHECK(!ListenAddress::parse("[::]:80")->is_loopback());
  CHECK(!ListenAddress::parse("[::ffff:1]:80")->is_loopback());
  for (const char* bad : {"", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]",
                          "localhost:80", "127.0.0.1:8a", "[127.0.0.1]:80", "127.1:80"}) {
    CAPTURE(bad);
    CHECK(!ListenAddress::parse(bad));
  }
}
