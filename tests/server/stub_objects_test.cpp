// SPDX-License-Identifier: Apache-2.0
// Objects of the real server over raw sockets.
#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/http/repr_digest.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using test::ask;

namespace {

std::string content(std::size_t size) {
  const auto bytes = test::pattern(7, size);
  std::string text(size, '\0');
  std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte byte) { return static_cast<char>(byte); });
  return text;
}

Sha256Digest digest_of(std::string_view text) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text.data(), text.size())));
  return sum.finish();
}

bool comes_true(const std::function<bool()>& condition) {
  const SystemClock clock;
  const auto deadline = clock.now() + std::chrono::seconds(20);
  while (clock.now() < deadline)
    if (condition()) return true;
  return false;
}

std::string range(const char* value) { return std::string("Range: ") + value + "\r\n"; }

}  // namespace

TEST_CASE("ranges of every form bring exactly their bytes") {
  const test::TempFolder folder;
  const auto all = content(1'000'003);
  test::put(folder / "a.bin", all);
  test::Stub stub(folder.path());
  struct Case {
    const char* range;
    std::size_t begin, end;
  };
  for (const auto& [text, begin, end] : {Case{"bytes=0-0", 0, 1},
                                         {"bytes=999-500000", 999, 500001},
                                         {"bytes=262143-262144", 262143, 262145},
                                         {"bytes=1000002-", 1000002, 1000003},
                                         {"bytes=-3", 1000000, 1000003},
                                         {"bytes=500000-99999999", 500000, 1000003}}) {
    CAPTURE(text);
    const auto reply = ask(stub.port, "GET", "/files/a.bin", range(text));
    CHECK(reply.status == 206);
    CHECK(reply.is_whole);
    CHECK(reply.body == all.substr(begin, end - begin));
    CHECK(reply.header("Content-Range") ==
          "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/1000003");
  }
  const auto whole = ask(stub.port, "GET", "/files/a.bin");
  CHECK(whole.status == 200);
  CHECK(whole.body == all);
  CHECK(ask(stub.port, "GET", "/files/a.bin", range("bytes=0-1,3-4")).body == all);
  CHECK(ask(stub.port, "GET", "/files/a.bin", range("bytes=1000003-")).status == 416);
  CHECK(ask(stub.port, "GET", "/files/a.bin", range("bytes=x")).status == 400);
}

TEST_CASE("HEAD tells all that GET tells and sends no byte") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", content(100'000));
  test::Stub stub(folder.path());
  test::RawClient client(stub.port);
  client.send(test::request("HEAD", "/files/a.bin") + test::request("HEAD", "/files/none") +
              test::request("GET", "/healthz"));
  const auto head = client.read_reply(false);
  CHECK(head.status == 200);
  CHECK(head.header("Content-Length") == "100000");
  CHECK(head.header("Accept-Ranges") == "bytes");
  CHECK(head.header("ETag").starts_with('"'));
  CHECK(!head.header("Last-Modified").empty());
  CHECK(!head.header("Date").empty());
  CHECK(client.read_reply(false).status == 404);
  CHECK(client.read_reply().body == "ok\n");
}

TEST_CASE("a zero-byte file is an object like any other (B19)") {
  const test::TempFolder folder;
  test::put(folder / "empty", "");
  test::Stub stub(folder.path());
  const auto whole = ask(stub.port, "GET", "/files/empty");
  CHECK(whole.status == 200);
  CHECK(whole.header("Content-Length") == "0");
  const auto refused = ask(stub.port, "GET", "/files/empty", range("bytes=0-"));
  CHECK(refused.status == 416);
  CHECK(refused.header("Content-Range") == "bytes */0");
}

TEST_CASE("Repr-Digest appears, and the ETag stays, also over a restart") {
  const test::TempFolder folder;
  const auto all = content(300'000);
  test::put(folder / "a.bin", all);
  std::string tag;
  {
    test::Stub stub(folder.path());
    tag = ask(stub.port, "GET", "/files/a.bin").header("ETag");
    test::Reply reply;
    CHECK(comes_true([&] {
      return (reply = ask(stub.port, "GET", "/files/a.bin", range("bytes=5-9"))).headers.has("Repr-Digest");
    }));
    CHECK(repr_digest(reply.headers) == digest_of(all));
    CHECK(reply.header("ETag") == tag);
    CHECK(stub.stop() == 0);
  }
  test::Stub again(folder.path());
  CHECK(ask(again.port, "HEAD", "/files/a.bin").header("ETag") == tag);
  CHECK(ask(again.port, "GET", "/files/a.bin", "If-None-Match: " + tag + "\r\n").status == 304);
  CHECK(ask(again.port, "GET", "/files/a.bin", "If-Match: \"other\"\r\n").status == 412);
  CHECK(ask(again.port, "GET", "/files/a.bin", "If-Range: " + tag + "\r\n" + range("bytes=1-2")).body ==
        all.substr(1, 2));
  CHECK(ask(again.port, "GET", "/files/a.bin", "If-Range: \"other\"\r\n" + range("bytes=1-2")).body == all);
}

TEST_CASE("an artifact is served by its digest, with ranges; an unknown one is 404 in the end") {
  const test::TempFolder folder;
  const auto all = content(50'000);
  test::put(folder / "sub/a.bin", all);
  test::Stub stub(folder.path());
  const auto target = "/api/v1/artifacts/sha256:" + digest_of(all).to_hex();
  test::Reply reply;
  CHECK(comes_true([&] { return (reply = ask(stub.port, "GET", target, range("bytes=10-19"))).status == 206; }));
  CHECK(reply.body == all.substr(10, 10));
  CHECK(repr_digest(reply.headers) == digest_of(all));
  const auto unknown = "/api/v1/artifacts/sha256:" + std::string(64, '0');
  CHECK(comes_true([&] { return (reply = ask(stub.port, "GET", unknown)).status == 404; }));
  CHECK(reply.header("Content-Type") == "application/problem+json");
  CHECK(ask(stub.port, "GET", "/api/v1/artifacts/sha256:zz").status == 400);
}

TEST_CASE("a folder gives an index in HTML, or in JSON where it is accepted") {
  const test::TempFolder folder;
  test::put(folder / "a.bin", "alpha");
  test::put(folder / "sub/b", "b");
  test::Stub stub(folder.path());
  const auto html = ask(stub.port, "GET", "/files/");
  CHECK(html.header("Content-Type") == "text/html; charset=utf-8");
  CHECK(html.body.find("/files/a.bin") != std::string::npos);
  const auto json = ask(stub.port, "GET", "/files/", "Accept: application/json\r\n");
  const auto page = nlohmann::json::parse(json.body);
  CHECK(page["entries"][0]["name"] == "a.bin");
  CHECK(page["entries"][1]["href"] == "/files/sub/");
  CHECK(ask(stub.port, "GET", "/files/sub").status == 200);
}

TEST_CASE("no path and no symlink leads out of the root") {
  const test::TempFolder folder;
  test::put(folder / "secret", "secret");
  test::put(folder / "root/a.bin", "alpha");
  std::filesystem::create_symlink("../secret", folder / "root" / "link");
  std::filesystem::create_directory_symlink("/etc", folder / "root" / "etc");
  test::Stub stub(folder / "root");
  for (const char* target :
       {"/files/../secret", "/files/%2e%2e/secret", "/files/..%2fsecret", "/files/link", "/files/etc/passwd",
        "/files//etc/passwd", "/files/a.bin/../../secret", "/files/a.bin%00.txt", "/../secret"}) {
    CAPTURE(target);
    const auto reply = ask(stub.port, "GET", target);
    CHECK((reply.status == 400 || reply.status == 404));
    CHECK(reply.header("Content-Type") == "application/problem+json");
    CHECK(reply.body.find("root:") == std::string::npos);
  }
}

TEST_CASE("a file that changes while it is sent ends the answer short and never mixes") {
  const test::TempFolder folder;
  const auto path = folder / "a.bin";
  const std::size_t size = 64 * 1024 * 1024;
  test::put(path, std::string(size, 'o'));
  test::wait_for_next_tick(path);
  test::Stub stub(folder.path());
  test::RawClient client(stub.port);
  client.send(test::request("GET", "/files/a.bin"));
  CHECK(client.read_head().status == 200);
  auto body = client.read_some(1000);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file << std::string(size, 'n');
  }
  body += client.read_to_end();
  CHECK(body.size() < size);
  CHECK(body.find('n') == std::string::npos);
  CHECK(ask(stub.port, "GET", "/files/a.bin", range("bytes=0-2")).body == "nnn");
}
