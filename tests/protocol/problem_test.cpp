// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/problem.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/utf8.h"

namespace arkvory {

namespace {

std::string nested(int depth) {
  return "{\"code\":\"x\",\"deep\":" + std::string(static_cast<std::size_t>(depth - 1), '[') +
         std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
}

}  // namespace

TEST_CASE("a problem is printed with RFC 9457's members first, empty ones left out") {
  const Problem busy{503, "Busy", "busy", "download_queued", "Come back later.", ""};
  CHECK(
      busy.to_json() ==
      R"({"type":"about:blank","status":503,"title":"Busy","detail":"Come back later.","code":"busy","reason":"download_queued"})");
  CHECK(Problem{}.to_json() == R"({"type":"about:blank"})");
}

TEST_CASE("what is printed is read back") {
  const Problem problem{400, "Bad \"quoted\" \xD1\x84", "invalid_request", "r", "d\\", "/overrides/weights/bulk", 7};
  const auto read = Problem::parse(problem.to_json());
  REQUIRE(read);
  CHECK(read->status == problem.status);
  CHECK(read->title == problem.title);
  CHECK(read->code == problem.code);
  CHECK(read->reason == problem.reason);
  CHECK(read->detail == problem.detail);
  CHECK(read->field == problem.field);
  CHECK(read->revision == problem.revision);
}

TEST_CASE("text that is no UTF-8 does not stop a problem from being printed") {
  CHECK(Problem::parse(Problem{404, "a\xFF", "", "", "", ""}.to_json())->title == "a\xEF\xBF\xBD");
}

TEST_CASE("members that are missing or of another type stay empty") {
  const auto read =
      Problem::parse(R"({"status":"503","title":null,"code":5,"reason":["x"],"detail":{"a":1},"more":true})");
  REQUIRE(read);
  CHECK(read->status == 0);
  CHECK(read->title.empty());
  CHECK(read->code.empty());
  CHECK(read->reason.empty());
  CHECK(read->detail.empty());
  for (const char* revision : {"-1", "1.0", "\"1\"", "null"}) {
    CAPTURE(std::string(revision));
    CHECK_FALSE(Problem::parse(std::string("{\"revision\":") + revision + "}")->revision);
  }
  for (const char* status : {"-503", "503.0", "99", "1000", "99999999999999999999", "1e2", "true"}) {
    CAPTURE(std::string(status));
    CHECK(Problem::parse(std::string("{\"status\":") + status + "}")->status == 0);
  }
  CHECK(Problem::parse("{\"status\":503}")->status == 503);
  CHECK(Problem::parse("{}"));
}

TEST_CASE("what is no JSON object is no problem") {
  for (const char* text : {"", " ", "null", "5", "\"x\"", "[]", "[{}]", "{", "{}}", "{\"a\":}", "{'a':1}", "{\"a\":1,}",
                           "<html>", "{\"a\":\"\xFF\"}", "{\"a\":1e999}", "{} x", "\xEF\xBB\xBF"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(Problem::parse(text));
  }
}

TEST_CASE("a body that is too deep or too long is refused before it is parsed") {
  CHECK(Problem::parse(nested(16)));
  CHECK_FALSE(Problem::parse(nested(17)));
  CHECK_FALSE(Problem::parse("{\"a\":" + std::string(60'000, '[')));
  CHECK(Problem::parse("{\"a\":\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"}"));

  const std::string frame = "{\"title\":\"\"}";
  const auto body = [&frame](std::size_t size) {
    return frame.substr(0, 10) + std::string(size - frame.size(), 'x') + frame.substr(10);
  };
  CHECK(Problem::parse(body(64 * 1024)));
  CHECK_FALSE(Problem::parse(body(64 * 1024 + 1)));
}

TEST_CASE("texts of a stranger lose their controls and their length") {
  const auto read = Problem::parse("{\"title\":\"a\\r\\n\\u001b[31m\\u0000b\\u007f\\u009bc\",\"detail\":\"" +
                                   std::string(1000, 'd') + "\",\"reason\":\"d" +
                                   [] {
                                     std::string wide;
                                     for (int i = 0; i < 400; ++i) wide += "\xD1\x84";
                                     return wide;
                                   }() +
                                   "\"}");
  REQUIRE(read);
  CHECK(read->title == "a   [31m b  c");
  CHECK(read->detail == std::string(500, 'd'));
  CHECK(read->reason.size() == 499);
  CHECK(is_utf8(read->reason));
}

}  // namespace arkvory
