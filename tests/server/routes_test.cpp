// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/routes.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/protocol/problem.h"
#include "tests/server/known_file.h"

using namespace arkvory;
using namespace arkvory::server;
using arkvory::test::KnownFile;

namespace {

constexpr WallTime kModified{std::chrono::seconds(784111777)};
constexpr WallTime kNow = kModified + std::chrono::hours(1);
constexpr const char* kId = "0123456789abcdef";

Request get(std::string target, std::vector<Headers::Field> fields = {}) {
  Request request;
  request.method = "GET";
  request.target = std::move(target);
  request.headers.add("Host", "test");
  for (auto& field : fields) request.headers.add(field.name, field.value);
  return request;
}

Request with_method(Request request, std::string method) {
  request.method = std::move(method);
  return request;
}

Answer at_once(const Request& request) {
  auto routed = route(request, Principals());
  REQUIRE(std::holds_alternative<Answer>(routed));
  return std::get<Answer>(routed);
}

// The answer for a file of this size.
Answer answer(const Request& request, std::uint64_t size, std::optional<Sha256Digest> digest = std::nullopt) {
  const auto routed = route(request, Principals());
  REQUIRE(std::holds_alternative<ObjectRequest>(routed));
  const Result<FoundObject> found = FoundObject(std::shared_ptr<ObjectFile>(std::make_shared<KnownFile>(size)));
  return answer_object(request, std::get<ObjectRequest>(routed), found, digest, kNow);
}

Problem problem(const Answer& answer) {
  const auto parsed = Problem::parse(answer.text);
  REQUIRE(parsed);
  return *parsed;
}

std::string value(const Answer& answer, std::string_view name) {
  return std::string(answer.headers.first(name).value_or(""));
}

const std::string kTag = entity_tag(KnownFile(100).identity());

}  // namespace

TEST_CASE("a target means an object, a probe or nothing") {
  CHECK(at_once(get("/healthz")).status == 200);
  CHECK(at_once(get("/healthz?x=1")).status == 200);
  CHECK(at_once(with_method(get("/healthz"), "POST")).status == 405);
  for (const char* looked_at : {"/readyz", "/metrics"}) {
    CAPTURE(looked_at);
    CHECK(value(at_once(with_method(get(looked_at), "POST")), "Allow") == "GET, HEAD");
    CHECK_FALSE(std::holds_alternative<Answer>(route(with_method(get(looked_at), "HEAD"), Principals())));
  }
  CHECK(std::holds_alternative<MetricsRequest>(route(get("/metrics?x"), Principals())));
  CHECK(at_once(get("/api/v1/system/downloads/queue")).status == 404);  // without control keys
  CHECK(at_once(get("/metrics/")).status == 404);
  CHECK(at_once(get("/")).status == 404);
  CHECK(at_once(get("/nothing")).status == 404);
  CHECK(at_once(get("/d/token")).status == 404);
  CHECK(at_once(get("*")).status == 404);
  CHECK(at_once(get("/files/../x")).status == 400);
  CHECK(at_once(get("/api/v1/artifacts/sha256:abc")).status == 400);
  CHECK(at_once(get("/api/v1/artifacts/md5:abc")).status == 404);
  const std::string hex(64, 'a');
  const auto artifact = std::get<ObjectRequest>(route(get("/api/v1/artifacts/sha256:" + hex), Principals()));
  CHECK(std::get<Sha256Digest>(artifact.object).to_hex() == hex);
  for (const char* target : {"/files/a/b", "/files/a/b?download=1", "http://other.example/files/a/b"}) {
    CAPTURE(target);
    CHECK(std::get<RelativePath>(std::get<ObjectRequest>(route(get(target), Principals())).object).text() == "a/b");
  }
  CHECK(std::get<RelativePath>(std::get<ObjectRequest>(route(get("/files"), Principals())).object).is_root());
}

TEST_CASE("HTTP/1.1 needs exactly one Host, HTTP/1.0 at most one") {
  Request request;
  request.method = "GET";
  request.target = "/healthz";
  CHECK(at_once(request).status == 400);
  CHECK(problem(at_once(request)).field == "Host");
  request.is_http_1_0 = true;
  CHECK(at_once(request).status == 200);
  request.headers.add("Host", "a");
  request.headers.add("Host", "a");
  CHECK(at_once(request).status == 400);
}

TEST_CASE("an id or a class that is none is refused with its field, before the object is looked at") {
  for (const char* id : {"short", "0123456789abcde", "0123456789abcde!", ""}) {
    CAPTURE(id);
    const auto refused = at_once(get("/files/a", {{"Arkvory-Download-Id", id}}));
    CHECK(refused.status == 400);
    CHECK(problem(refused).code == "invalid_request");
    CHECK(problem(refused).field == "Arkvory-Download-Id");
  }
  CHECK(at_once(get("/files/a", {{"Arkvory-Download-Id", kId}, {"Arkvory-Download-Id", kId}})).status == 400);
  for (const char* name : {"fast", "Bulk", ""}) {
    CAPTURE(name);
    const auto refused = at_once(get("/files/a", {{"Arkvory-Download-Class", name}}));
    CHECK(refused.status == 400);
    CHECK(problem(refused).field == "Arkvory-Download-Class");
  }
}

TEST_CASE("the class applied comes back; asking only lowers (O2)") {
  CHECK(value(answer(get("/files/a"), 100), "Arkvory-Download-Class") == "interactive");
  for (const char* name : {"interactive", "release", "bulk", "background"})
    CHECK(value(answer(get("/files/a", {{"Arkvory-Download-Class", name}}), 100), "Arkvory-Download-Class") == name);
  CHECK(lowered(DownloadClass::bulk, DownloadClass::interactive) == DownloadClass::bulk);
}

TEST_CASE("DELETE ends a download by its id, which it must have") {
  CHECK(at_once(with_method(get("/files/a"), "DELETE")).status == 400);
  const auto routed = route(with_method(get("/files/a", {{"Arkvory-Download-Id", kId}}), "DELETE"), Principals());
  REQUIRE(std::holds_alternative<ObjectRequest>(routed));
  CHECK(std::get<ObjectRequest>(routed).action == Action::cancel);
  CHECK(std::get<ObjectRequest>(routed).id->text() == kId);
}

TEST_CASE("other methods are told what is allowed") {
  for (const char* method : {"POST", "PUT", "OPTIONS", "PATCH", "get", "TRACE"}) {
    CAPTURE(method);
    const auto refused = at_once(with_method(get("/files/a"), method));
    CHECK(refused.status == 405);
    CHECK(value(refused, "Allow") == "GET, HEAD, DELETE");
    CHECK(problem(refused).code == "method_not_allowed");
  }
}

TEST_CASE("single ranges of every form are answered as RFC 9110 says") {
  struct Case {
    const char* range;
    int status;
    std::uint64_t begin, end;
    const char* content_range;
  };
  const std::vector<Case> cases{
      {"bytes=0-0", 206, 0, 1, "bytes 0-0/100"},
      {"bytes=10-19", 206, 10, 20, "bytes 10-19/100"},
      {"bytes=90-", 206, 90, 100, "bytes 90-99/100"},
      {"bytes=-10", 206, 90, 100, "bytes 90-99/100"},
      {"bytes=-1000", 206, 0, 100, "bytes 0-99/100"},
      {"bytes=99-1000", 206, 99, 100, "bytes 99-99/100"},
      {"bytes=0-1,5-6", 200, 0, 100, ""},
      {"lines=0-5", 200, 0, 100, ""},
  };
  for (const auto& one : cases) {
    CAPTURE(one.range);
    const auto answered = answer(get("/files/a", {{"Range", one.range}}), 100);
    CHECK(answered.status == one.status);
    REQUIRE(answered.file);
    CHECK(answered.file->begin == one.begin);
    CHECK(answered.file->end == one.end);
    CHECK(value(answered, "Content-Range") == one.content_range);
    CHECK(value(answered, "ETag") == kTag);
    CHECK(value(answered, "Accept-Ranges") == "bytes");
  }
}

TEST_CASE("a range that can't be had is 416 with the size, one that is none is 400") {
  for (const char* range : {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
    CAPTURE(range);
    const auto refused = answer(get("/files/a", {{"Range", range}}), 100);
    CHECK(refused.status == 416);
    CHECK(value(refused, "Content-Range") == "bytes */100");
    CHECK(problem(refused).code == "range_not_satisfiable");
  }
  CHECK(value(answer(get("/files/a", {{"Range", "bytes=0-"}}), 0), "Content-Range") == "bytes */0");
  for (const char* range : {"bytes=", "bytes=a-b", "bytes=5-4", "bytes=-", "bytes"}) {
    CAPTURE(range);
    const auto refused = at_once(get("/files/a", {{"Range", range}}));
    CHECK(refused.status == 400);
    CHECK(problem(refused).field == "Range");
  }
}

TEST_CASE("conditions go before ranges, and a range that doesn't apply is no 416") {
  CHECK(answer(get("/files/a", {{"If-Match", "\"x\""}, {"Range", "bytes=500-"}}), 100).status == 412);
  CHECK(answer(get("/files/a", {{"If-None-Match", kTag}, {"Range", "bytes=500-"}}), 100).status == 304);
  CHECK(answer(get("/files/a", {{"If-Range", "\"x\""}, {"Range", "bytes=500-"}}), 100).status == 200);
  CHECK(answer(get("/files/a", {{"If-Range", kTag}, {"Range", "bytes=5-9"}}), 100).status == 206);
}

TEST_CASE("a 304 carries the validators and no body") {
  const auto answered = answer(get("/files/a", {{"If-None-Match", kTag}}), 100);
  CHECK(answered.status == 304);
  CHECK(value(answered, "ETag") == kTag);
  CHECK(!answered.file);
  CHECK(!answered.is_body_sent);
}

TEST_CASE("HEAD has the headers of the whole object and no body, whatever its Range says") {
  const auto head = answer(with_method(get("/files/a", {{"Range", "bytes=5-4"}}), "HEAD"), 100);
  const auto whole = answer(get("/files/a"), 100);
  CHECK(!head.is_body_sent);
  CHECK(head_text(head, true, kNow) == head_text(whole, true, kNow));
  CHECK(!at_once(with_method(get("/nothing"), "HEAD")).is_body_sent);
}

TEST_CASE("Repr-Digest comes with the bytes once the digest is known") {
  const auto digest = Sha256Digest::from_hex(std::string(64, '0'));
  CHECK(value(answer(get("/files/a"), 100), "Repr-Digest").empty());
  CHECK(value(answer(get("/files/a", {{"Range", "bytes=0-1"}}), 100, digest), "Repr-Digest") ==
        "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:");
}

TEST_CASE("an unknown digest is busy while files are still being read, then not found") {
  const auto request = get("/api/v1/artifacts/sha256:" + std::string(64, 'a'));
  const auto asked = std::get<ObjectRequest>(route(request, Principals()));
  const auto early = answer_object(request, asked, FoundObject(StillIndexing{}), std::nullopt, kNow);
  CHECK(early.status == 503);
  CHECK(problem(early).reason == "indexing");
  CHECK(value(early, "Retry-After") == "1");
  CHECK(answer_object(request, asked, FoundObject(Absent{}), std::nullopt, kNow).status == 404);
  const Result<FoundObject> failed = fail(Fault::local, "a file can't be opened", "Input/output error");
  const auto broken = answer_object(request, asked, failed, std::nullopt, kNow);
  CHECK(broken.status == 500);
  CHECK(broken.text.find("Input/output") == std::string::npos);
}
