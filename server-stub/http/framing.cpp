// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/framing.h"

#include <algorithm>

namespace arkvory::server {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_letter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }

}  // namespace

std::string_view framing_fault(const Request& request) {
  const auto lengths = request.headers.all("Content-Length");
  const auto codings = request.headers.all("Transfer-Encoding");
  if (lengths.size() > 1) return "more than one Content-Length";
  if (codings.size() > 1) return "more than one Transfer-Encoding";
  if (!lengths.empty() && !codings.empty()) return "both Content-Length and Transfer-Encoding";
  if (!lengths.empty()) {
    const auto& length = lengths.front();
    const bool is_number = !length.empty() && std::all_of(length.begin(), length.end(), is_digit);
    return is_number ? "" : "a Content-Length that is no number";
  }
  if (codings.empty()) return "";
  if (request.is_http_1_0) return "a Transfer-Encoding in HTTP/1.0";
  return equal_ignoring_case(codings.front(), "chunked") ? "" : "a Transfer-Encoding other than chunked";
}

bool is_host(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char letter) {
    return is_digit(letter) || is_letter(letter) ||
           std::string_view("-._~%!$&'()*+,;=:[]").find(letter) != std::string_view::npos;
  });
}

}  // namespace arkvory::server
