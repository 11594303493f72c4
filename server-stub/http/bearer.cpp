// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/bearer.h"

#include <utility>

namespace arkvory::server {
namespace {

constexpr std::string_view kBearer = "bearer";

}  // namespace

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  const auto scheme = authorization.substr(0, authorization.find(' '));
  if (!equal_ignoring_case(scheme, kBearer)) return std::nullopt;
  const auto token = trimmed(authorization.substr(scheme.size()));
  if (token.empty()) return std::nullopt;
  return token;
}

Answer unauthorized(std::string detail) {
  auto answer = refusal(401, "unauthorized", std::move(detail));
  answer.headers.add("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace arkvory::server
