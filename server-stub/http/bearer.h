// SPDX-License-Identifier: Apache-2.0
// Who asks, as a request says it: `Authorization: Bearer` and a token (RFC 6750 §2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server-stub/http/exchange.h"

namespace arkvory::server {

// The token of the field's value; the scheme is compared without case (RFC 9110 §11.1).
std::optional<std::string_view> bearer_token(std::string_view authorization);

// 401 with the challenge.
Answer unauthorized(std::string detail);

}  // namespace arkvory::server
