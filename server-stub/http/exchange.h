// SPDX-License-Identifier: Apache-2.0
// A request and its answer as plain values: what routes decide on, without any of the library that carries them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/http/headers.h"
#include "core/protocol/problem.h"
#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

struct Request {
  std::string method;
  std::string target;
  Headers headers;
  bool is_http_1_0 = false;
  bool keep_alive = true;
  std::string body{};  // where it means something (operator_routes.h), else dropped
};

// Bytes of an open file: [begin, end), may be empty.
struct FileBody {
  std::shared_ptr<ObjectFile> file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Answer {
  int status = 0;
  Headers headers;   // without Date, Content-Length and Connection, which the head gets
  std::string text;  // the body, unless there is a file
  std::optional<FileBody> file;
  bool is_body_sent = true;  // false for HEAD: all headers as they would be, no body
  bool closes = false;       // the connection ends after this answer
};

// The refusal as an answer: `application/problem+json`.
Answer refusal(Problem problem);
Answer refusal(int status, std::string code, std::string detail, std::string field = {});
// 405 with the methods that are allowed, such as `GET, HEAD`.
Answer method_not_allowed(std::string allowed);
// Retry-After in whole seconds, rounded up, at least 1.
void add_retry_after(Answer& answer, Duration delay);
// 503 `busy` with a reason and a Retry-After in whole seconds, rounded up, at least 1.
Answer busy(std::string reason, std::string detail, Duration retry_after);

// The status line and header fields, with the empty line. Control characters in a value become spaces: what came from
// outside can't begin a line of its own.
std::string head_text(const Answer& answer, bool keep_alive, WallTime now);

std::string_view reason_phrase(int status);

}  // namespace arkvory::server
