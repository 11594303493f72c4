// SPDX-License-Identifier: Apache-2.0
// The real server misbehaving as a script says, kind by kind, as a client sees it.
#include <doctest/doctest.h>

#include <string>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

constexpr std::size_t kSize = 20'000'000;  // of `big`, which needs a seat

struct Misbehaving {
  explicit Misbehaving(const std::string& script, std::vector<std::string> options = {})
      : stub(folder / "root", (write(script), with_mishaps(std::move(options)))) {}
  void write(const std::string& script) const {
    test::put(folder / "root/a", "0123456789");
    test::put(folder / "root/big", std::string(kSize, 'b'));
    test::put(folder / "mishaps.json", script);
  }
  std::vector<std::string> with_mishaps(std::vector<std::string> options) const {
    options.insert(options.end(), {"--mishap", (folder / "mishaps.json").string()});
    return options;
  }
  test::Reply get(std::string_view target, std::string_view extra = {}) const { return stub.ask("GET", target, extra); }
  // What comes until the end of the connection, after the head.
  std::string get_to_end(std::string_view target, test::Reply& head, std::string_view extra = {}) const {
    test::RawClient client(stub.port);
    client.send(test::request("GET", target, extra));
    head = client.read_head();
    return client.read_to_end();
  }
  test::TempFolder folder;
  test::Stub stub;
};

}  // namespace

TEST_CASE("mishaps of statuses: busy n times, an error, a redirect, then as always") {
  const Misbehaving server(R"([
    {"path": "/files/a", "times": 2, "busy": {"retryAfter": 3}},
    {"path": "/files/a", "times": 1, "status": {"code": 502, "retryAfter": "soon", "body": "bad gateway"}},
    {"path": "/files/a", "times": 1, "redirect": {"location": "/files/big"}}])");
  for (int i = 0; i < 2; ++i) {
    const auto busy = server.get("/files/a");
    CHECK(busy.status == 503);
    CHECK(busy.header("Retry-After") == "3");
    CHECK(busy.header("Arkvory-Queue-Position").empty());
  }
  const auto error = server.get("/files/a");
  CHECK(error.status == 502);
  CHECK(error.header("Retry-After") == "soon");
  CHECK(error.body == "bad gateway");
  const auto redirect = server.get("/files/a");
  CHECK(redirect.status == 302);
  CHECK(redirect.header("Location") == "/files/big");
  CHECK(server.get("/files/a").body == "0123456789");
}

TEST_CASE("mishaps of heads: no validators, a wrong digest, type and coding, garbage, and lengths that lie") {
  const Misbehaving server(R"([
    {"path": "/files/a", "times": 1, "noValidators": {}},
    {"path": "/files/a", "times": 1, "wrongDigest": {}},
    {"path": "/files/a", "times": 1, "wrongType": {"type": "text/html"}},
    {"path": "/files/a", "times": 1, "wrongEncoding": {"coding": "gzip"}},
    {"path": "/files/a", "times": 1, "garbageHeader": {"line": "no field"}},
    {"path": "/files/a", "times": 1, "shortLength": {"by": 4}},
    {"path": "/files/a", "times": 1, "longLength": {"by": 4}},
    {"path": "/files/a", "times": 1, "noLength": {}}])");
  auto reply = server.get("/files/a");
  CHECK(reply.header("ETag").empty());
  CHECK(reply.header("Last-Modified").empty());
  CHECK(reply.body == "0123456789");
  CHECK(server.get("/files/a").header("Repr-Digest") == "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:");
  CHECK(server.get("/files/a").header("Content-Type") == "text/html");
  CHECK(server.get("/files/a").header("Content-Encoding") == "gzip");
  test::Reply head;
  {
    test::RawClient client(server.stub.port);
    client.send(test::request("GET", "/files/a", "Connection: close\r\n"));
    CHECK(client.read_to_end().find("\r\nno field\r\n") != std::string::npos);
  }
  CHECK(server.get_to_end("/files/a", head) == "0123456789");
  CHECK(head.header("Content-Length") == "6");
  CHECK(server.get_to_end("/files/a", head) == "0123456789");
  CHECK(head.header("Content-Length") == "14");
  CHECK(server.get_to_end("/files/a", head) == "0123456789");
  CHECK(head.status == 200);
  CHECK(head.header("Content-Length").empty());
  CHECK(server.get("/files/a").header("Content-Length") == "10");
}

TEST_CASE("mishaps of bytes: cut, reset, corrupt, and a reply without a byte") {
  const Misbehaving server(R"([
    {"path": "/files/a", "times": 1, "cut": {"after": 4}},
    {"path": "/files/big", "times": 1, "cut": {"after": 5000000}},
    {"path": "/files/big", "times": 1, "reset": {"after": 1000}},
    {"path": "/files/big", "times": 1, "corrupt": {"at": 1234567}},
    {"path": "/files/a", "times": 1, "emptyReply": {}},
    {"path": "/files/a", "times": 1, "emptyReply": {"reset": true}}])",
                           {"--idle-seconds", "1"});
  test::Reply head;
  CHECK(server.get_to_end("/files/a", head) == "0123");
  CHECK(head.header("Content-Length") == "10");
  CHECK(server.get_to_end("/files/big", head).size() == 5'000'000);
  CHECK(head.header("Content-Length") == std::to_string(kSize));
  {
    test::RawClient client(server.stub.port);
    client.send(test::request("GET", "/files/big"));
    CHECK(client.read_head().status == 200);
    CHECK(client.read_to_end().size() == 1000);
    CHECK(client.was_reset());
  }
  std::string corrupt(kSize, 'b');
  corrupt[1'234'567] = static_cast<char>(~'b');
  CHECK((server.get("/files/big").body == corrupt));
  for (const bool is_reset : {false, true}) {
    test::RawClient client(server.stub.port);
    client.send(test::request("GET", "/files/a"));
    CHECK(client.read_to_end().empty());
    CHECK(client.was_reset() == is_reset);
  }
  CHECK(server.get("/files/a").body == "0123456789");
  CHECK(server.stub.comes_to_rest());
}

TEST_CASE("mishaps of time: a late answer, a stall for a while and a slow one come whole in the end") {
  const Misbehaving server(R"([
    {"path": "/files/a", "times": 1, "delay": {"for": "100ms"}},
    {"path": "/files/a", "times": 1, "stall": {"after": 4, "for": "100ms"}},
    {"path": "/files/a", "times": 1, "slow": {"rate": "100B/s"}}])");
  const SystemClock clock;
  for (int i = 0; i < 3; ++i) {
    const auto began = clock.now();
    CHECK(server.get("/files/a").body == "0123456789");
    CHECK(clock.now() - began >= std::chrono::milliseconds(100));
  }
}

TEST_CASE("an answer that stalls for ever ends with its client, and its seat comes back") {
  const Misbehaving server(R"([{"path": "/files/big", "stall": {"after": 1000}}])", {"--idle-seconds", "1"});
  {
    test::RawClient client(server.stub.port);
    client.send(test::request("GET", "/files/big"));
    CHECK(client.read_head().status == 200);
    std::string got;
    while (got.size() < 1000) got += client.read_some(1000 - got.size());
    CHECK(server.stub.ready("active") == 1);
  }
  CHECK(server.stub.comes_to_rest());
}

TEST_CASE("mishaps of ranges: one that is ignored, and one that names other bytes than it sends") {
  const Misbehaving server(R"([
    {"path": "/files/a", "times": 1, "ignoreRange": {}},
    {"path": "/files/a", "times": 1, "wrongRange": {"shift": 2}}])");
  CHECK(server.get("/files/a").status == 200);  // no range: neither acts
  const auto whole = server.get("/files/a", "Range: bytes=3-5\r\n");
  CHECK(whole.status == 200);
  CHECK(whole.body == "0123456789");
  CHECK(whole.header("Content-Range").empty());
  const auto wrong = server.get("/files/a", "Range: bytes=3-5\r\n");
  CHECK(wrong.status == 206);
  CHECK(wrong.header("Content-Range") == "bytes 5-7/10");
  CHECK(wrong.body == "345");
}

TEST_CASE("a changed object has another tag and other bytes, and conditions on the old one fail") {
  const Misbehaving server(R"([
    {"path": "/files/a", "skip": 1, "times": 2, "changed": {}},
    {"path": "/files/a", "skip": 3, "times": 1, "changed": {"sameBytes": true}}])");
  const auto before = server.get("/files/a");
  const auto changed = server.get("/files/a", "Range: bytes=0-3\r\nIf-Range: " + before.header("ETag") + "\r\n");
  CHECK(changed.status == 200);
  CHECK(changed.body.size() == 10);
  CHECK(changed.body != before.body);
  CHECK(changed.header("ETag") != before.header("ETag"));
  CHECK(server.get("/files/a", "If-Match: " + before.header("ETag") + "\r\n").status == 412);
  const auto retagged = server.get("/files/a");
  CHECK(retagged.body == before.body);
  CHECK(retagged.header("ETag") != before.header("ETag"));
  CHECK(server.get("/files/a").header("ETag") == before.header("ETag"));
}

TEST_CASE("a mishap is logged with its rule and without tokens, and the log says that the server misbehaves") {
  Misbehaving server(R"([{"busy": {}}])");
  CHECK(server.get("/d/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_abcde").status == 503);
  CHECK(server.stub.stop() == 0);
  const auto& log = server.stub.process.error_output();
  CHECK(log.find(" warning mishaps file=") != std::string::npos);
  CHECK(log.find(" rules=1\n") != std::string::npos);
  CHECK(log.find(" mishap rule=\"/0\" kind=\"busy\" method=\"GET\"") != std::string::npos);
  CHECK(log.find("AbCdEf") == std::string::npos);
}

TEST_CASE("SIGHUP reads the mishaps again from their beginning, and a broken file changes nothing") {
  Misbehaving server(R"([{"path": "/files/a", "times": 1, "status": {"code": 500}}])");
  const auto logged = [&](const std::string& words) {
    while (const auto line = server.stub.process.read_error_line(std::chrono::seconds(20)))
      if (line->find(words) != std::string::npos) return *line;
    return std::string();
  };
  CHECK(server.get("/files/a").status == 500);
  CHECK(server.get("/files/a").status == 200);
  test::put(server.folder / "mishaps.json", R"([{"status": {"code": 200}}])");
  server.stub.process.kill(SIGHUP);
  CHECK(logged("mishaps_kept").find("/0/status/code") != std::string::npos);
  CHECK(server.get("/files/a").status == 200);
  test::put(server.folder / "mishaps.json", R"([{"times": 1, "status": {"code": 501}}])");
  server.stub.process.kill(SIGHUP);
  CHECK(!logged("mishaps_reloaded").empty());
  CHECK(server.get("/files/a").status == 501);
  CHECK(server.get("/files/a").status == 200);
}

TEST_CASE("a file of mishaps that can't be used is refused at the start, with words that name it") {
  const test::TempFolder folder;
  test::put(folder / "bad.json", R"([{"cut": {}}])");
  for (const auto& [name, named] : {std::pair{"bad.json", "/0/cut/after"}, {"none.json", "none.json"}}) {
    const auto end = test::run(test::Stub::arguments(folder.path(), {"--mishap", (folder / name).string()}));
    CHECK(end.end.exit_code == 2);
    CHECK(end.error_output.find(named) != std::string::npos);
    CHECK(end.output.empty());
  }
}
