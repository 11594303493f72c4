// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/operator_access.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "server-stub/http/bearer.h"

namespace arkvory::server {
namespace {

constexpr std::array<std::string_view, 4> kPassedOn{"Forwarded", "Via", "X-Forwarded-For", "X-Real-IP"};

bool was_passed_on(const Request& request) {
  return std::any_of(kPassedOn.begin(), kPassedOn.end(),
                     [&request](std::string_view name) { return request.headers.first(name).has_value(); });
}

}  // namespace

std::variant<Answer, std::string> operator_of(const Request& request, const ControlKeys& keys) {
  if (!keys.are_configured()) return refusal(404, "not_found", "there is no such thing here");
  const auto authorizations = request.headers.all("Authorization");
  if (authorizations.size() > 1)
    return refusal(400, "invalid_request", "the header came more than once", "Authorization");
  const auto key = authorizations.empty() ? std::nullopt : bearer_token(authorizations.front());
  const auto* who = key ? keys.name_of(*key) : nullptr;
  if (who == nullptr) return unauthorized("a control key is needed, as a Bearer token");
  return *who;
}

std::optional<Answer> metrics_refusal(const Request& request, const ControlKeys& keys, bool is_from_loopback) {
  if (is_from_loopback && !was_passed_on(request)) return std::nullopt;
  auto who = operator_of(request, keys);
  if (auto* refused = std::get_if<Answer>(&who)) return std::move(*refused);
  return std::nullopt;
}

}  // namespace arkvory::server
