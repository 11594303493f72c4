// SPDX-License-Identifier: Apache-2.0
// Who may operate the server and see its figures (protocol.md §5): `/metrics` is open to this machine, everything else
// needs a control key, and where there are none there is nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "server-stub/http/exchange.h"
#include "server-stub/store/control_keys.h"

namespace arkvory::server {

// The name of the control key that the request shows, or its refusal: 404 without control keys, 400, 401.
std::variant<Answer, std::string> operator_of(const Request& request, const ControlKeys& keys);

// The refusal, or nothing where `/metrics` is to be shown. `is_from_loopback`: the client's end of the connection is on
// this machine. A request that says that it was passed on comes from who knows where.
std::optional<Answer> metrics_refusal(const Request& request, const ControlKeys& keys, bool is_from_loopback);

}  // namespace arkvory::server
