// SPDX-License-Identifier: Apache-2.0
// Odd and hostile requests to the real server over raw sockets.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/protocol/problem.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using test::ask;

namespace {

test::Reply raw(std::uint16_t port, const std::string& text) {
  test::RawClient client(port);
  client.send(text);
  auto reply = client.read_reply();
  CHECK(client.is_closed_by_peer());
  return reply;
}

std::string code(const test::Reply& reply) {
  CHECK(reply.header("Content-Type") == "application/problem+json");
  const auto problem = Problem::parse(reply.body);
  REQUIRE(problem);
  CHECK(problem->status == reply.status);
  return problem->code;
}

}  // namespace

TEST_CASE("a request that can't be understood is refused with a problem, and its connection ends") {
  const test::TempFolder folder;
  test::Stub stub(folder.path());
  using namespace std::string_literals;
  struct Case {
    std::string text;
    int status;
    const char* code;
  };
  const std::vector<Case> cases{
      {"nonsense\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\nHost: a\n\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"s, 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 400, "invalid_request"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "invalid_request"},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(9000, 'x') + "\r\n\r\n", 431, "too_large"},
      {"GET /" + std::string(5000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414, "too_large"},
      {"GET /" + std::string(100'000, 'x'), 414, "too_large"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413, "too_large"},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400, "invalid_request"},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n" + std::string(0x20000, 'x'), 413,
       "too_large"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text.substr(0, 80));
    const auto reply = raw(stub.port, one.text);
    CHECK(reply.status == one.status);
    CHECK(code(reply) == one.code);
  }
  CHECK(ask(stub.port, "GET", "/healthz").status == 200);
}

TEST_CASE("HTTP/1.1 without Host, or with two, is refused") {
  const test::TempFolder folder;
  test::Stub stub(folder.path());
  test::RawClient client(stub.port);
  client.send("GET /healthz HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n");
  CHECK(client.read_reply().status == 400);
  CHECK(client.read_reply().status == 400);
}

TEST_CASE("HTTP/1.0 ends its connection unless it asks to keep it") {
  const test::TempFolder folder;
  test::Stub stub(folder.path());
  const auto reply = raw(stub.port, "GET /healthz HTTP/1.0\r\n\r\n");
  CHECK(reply.status == 200);
  CHECK(reply.header("Connection") == "close");
  test::RawClient kept(stub.port);
  const std::string asking = "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  kept.send(asking + asking);
  CHECK(kept.read_reply().header("Connection") == "keep-alive");
  CHECK(kept.read_reply().status == 200);
}

TEST_CASE("pipelined requests are answered in order, bodies between them dropped") {
  const test::TempFolder folder;
  test::put(folder / "a", std::string(700'000, 'a'));
  test::put(folder / "b", "bb");
  test::Stub stub(folder.path());
  test::RawClient client(stub.port);
  client.send(test::request("GET", "/files/a") + test::request("GET", "/files/b") +
              test::request("POST", "/healthz", "Content-Length: 5\r\n") + "hello" +
              test::request("PUT", "/files/b", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n" + "\r\n" +
              test::request("GET", "/healthz") + test::request("GET", "/files/a", "Connection: close\r\n"));
  CHECK(client.read_reply().body == std::string(700'000, 'a'));
  CHECK(client.read_reply().body == "bb");
  CHECK(client.read_reply().status == 405);
  const auto put = client.read_reply();
  CHECK(put.status == 405);
  CHECK(put.header("Allow") == "GET, HEAD, DELETE");
  CHECK(client.read_reply().body == "ok\n");
  CHECK(client.read_reply().is_whole);
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("a client that waits for a word before its body gets the final answer") {
  const test::TempFolder folder;
  test::Stub stub(folder.path());
  const auto reply = raw(stub.port, test::request("PUT", "/files/a", "Expect: 100-continue\r\nContent-Length: 10\r\n"));
  CHECK(reply.status == 405);
  CHECK(reply.header("Connection") == "close");
}

TEST_CASE("a session can't be ended without an id, nor one that is not known") {
  const test::TempFolder folder;
  test::put(folder / "a", "a");
  test::Stub stub(folder.path());
  CHECK(code(ask(stub.port, "DELETE", "/files/a")) == "invalid_request");
  CHECK(code(ask(stub.port, "DELETE", "/files/a", "Arkvory-Download-Id: 0123456789abcdef\r\n")) == "not_found");
  CHECK(ask(stub.port, "GET", "/files/a", "Arkvory-Download-Id: no\r\n").status == 400);
  CHECK(ask(stub.port, "GET", "/files/a", "Arkvory-Download-Class: bulk\r\n").header("Arkvory-Download-Class") ==
        "bulk");
}

TEST_CASE("when descriptors run out new connections wait, and are served as soon as some are free") {
  const test::TempFolder folder;
  const auto command = std::string("ulimit -n 40; exec \"$0\" serve --root \"$1\"");
  test::Process process({"sh", "-c", command, ARKVORY_STUB, folder.path().string()});
  const auto line = process.read_line(std::chrono::seconds(60)).value_or("");
  REQUIRE(line.starts_with("listening http://"));
  const auto port = static_cast<std::uint16_t>(parse_number(line.substr(line.rfind(':') + 1)).value_or(0));
  std::vector<std::unique_ptr<test::RawClient>> many;
  for (int i = 0; i < 60; ++i) many.push_back(std::make_unique<test::RawClient>(port));
  for (auto& client : many) client->send(test::request("GET", "/healthz"));
  CHECK(many.front()->read_reply().status == 200);
  test::RawClient late(port);
  late.send(test::request("GET", "/healthz"));
  std::string log;
  while (log.find("accept_paused") == std::string::npos) {
    const auto said = process.read_error_line(std::chrono::seconds(20));
    REQUIRE(said);
    log = *said;
  }
  many.clear();
  CHECK(late.read_reply().status == 200);
}
