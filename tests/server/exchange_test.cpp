// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/exchange.h"

#include <doctest/doctest.h>

#include <string>

using namespace arkvory;
using namespace arkvory::server;

namespace {
constexpr WallTime kNow{std::chrono::seconds(784111777)};
}  // namespace

TEST_CASE("a value can't begin a line of its own") {
  Answer answer;
  answer.status = 200;
  answer.headers.add("X", std::string("a\r\nEvil: 1\n\0b", 13));
  const auto head = head_text(answer, true, kNow);
  CHECK(head.find("\nEvil") == std::string::npos);
  CHECK(head.find("X: a  Evil: 1  b\r\n") != std::string::npos);
}

TEST_CASE("a head states date, length and what becomes of the connection") {
  auto answer = refusal(404, "not_found", "gone");
  const auto head = head_text(answer, false, kNow);
  CHECK(head.starts_with("HTTP/1.1 404 Not Found\r\n"));
  CHECK(head.find("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n") != std::string::npos);
  CHECK(head.find("Content-Type: application/problem+json\r\n") != std::string::npos);
  CHECK(head.find("Content-Length: " + std::to_string(answer.text.size()) + "\r\n") != std::string::npos);
  CHECK(head.find("Connection: close\r\n") != std::string::npos);
  CHECK(head.ends_with("\r\n\r\n"));
  Answer not_modified;
  not_modified.status = 304;
  CHECK(head_text(not_modified, true, kNow).find("Content-Length") == std::string::npos);
}

TEST_CASE("a busy answer asks for whole seconds, rounded up, at least one") {
  CHECK(busy("indexing", "", std::chrono::milliseconds(1)).headers.first("Retry-After") == "1");
  CHECK(busy("indexing", "", std::chrono::milliseconds(1001)).headers.first("Retry-After") == "2");
  CHECK(busy("indexing", "", -std::chrono::seconds(5)).headers.first("Retry-After") == "1");
  const auto answer = busy("shutting_down", "", std::chrono::seconds(3));
  CHECK(answer.status == 503);
  CHECK(answer.text.find("\"code\":\"busy\"") != std::string::npos);
  CHECK(answer.text.find("\"reason\":\"shutting_down\"") != std::string::npos);
}
