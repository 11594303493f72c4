// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/operator_access.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace arkvory::server {
namespace {

constexpr std::array<std::string_view, 4> kPassedOn{"Forwarded", "Via", "X-Forwarded-For", "X-Real-IP"};

bool was_passed_on(const Request& request) {
  return std::any_of(kPassedOn.begin(), kPassedOn.end(),
                     [&request](std::string_view name) { return request.headers.first(name).has_value(); });
}

}  // namespace

std::optional<Answer> operator_refusal(const Request& request, OperatorPage page, bool is_from_loopback) {
  if (page == OperatorPage::metrics && is_from_loopback && !was_passed_on(request)) return std::nullopt;
  return refusal(404, "not_found", "there is no such page here");
}

}  // namespace arkvory::server
