// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/exchange.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/http/http_date.h"

namespace arkvory::server {
namespace {

void add_field(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char c : value) head += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  head.append("\r\n");
}

std::uint64_t body_length(const Answer& answer) {
  return answer.file ? answer.file->end - answer.file->begin : answer.text.size();
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 416: return "Range Not Satisfiable";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "";
  }
}

Answer refusal(Problem problem) {
  Answer answer;
  answer.status = problem.status;
  answer.headers.add("Content-Type", "application/problem+json");
  answer.headers.add("Cache-Control", "no-store");
  answer.text = problem.to_json();
  return answer;
}

Answer refusal(int status, std::string code, std::string detail, std::string field) {
  Problem problem;
  problem.status = status;
  problem.title = reason_phrase(status);
  problem.code = std::move(code);
  problem.detail = std::move(detail);
  problem.field = std::move(field);
  return refusal(std::move(problem));
}

Answer method_not_allowed(std::string allowed) {
  auto answer = refusal(405, "method_not_allowed", "allowed here: " + allowed);
  answer.headers.add("Allow", std::move(allowed));
  return answer;
}

void add_retry_after(Answer& answer, Duration delay) {
  const auto seconds = std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(delay).count(), 1);
  answer.headers.add("Retry-After", std::to_string(seconds));
}

Answer busy(std::string reason, std::string detail, Duration retry_after) {
  Problem problem;
  problem.status = 503;
  problem.title = "Busy";
  problem.code = "busy";
  problem.reason = std::move(reason);
  problem.detail = std::move(detail);
  auto answer = refusal(std::move(problem));
  add_retry_after(answer, retry_after);
  return answer;
}

std::string head_text(const Answer& answer, bool keep_alive, WallTime now) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + ' ';
  head.append(reason_phrase(answer.status)).append("\r\n");
  add_field(head, "Date", format_http_date(now));
  add_field(head, "Server", "arkvory-stub");
  for (const auto& field : answer.headers.fields()) add_field(head, field.name, field.value);
  // Neither has a body (RFC 9110 §8.6).
  if (answer.status != 304 && answer.status != 204)
    add_field(head, "Content-Length", std::to_string(body_length(answer)));
  add_field(head, "Connection", keep_alive ? "keep-alive" : "close");
  head.append("\r\n");
  return head;
}

}  // namespace arkvory::server
