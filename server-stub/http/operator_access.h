// SPDX-License-Identifier: Apache-2.0
// Who may see the operator's pages (protocol.md §5): `/metrics` is open to this machine, everything else needs a
// control key, and without one there is nothing.
#pragma once

#include <optional>

#include "server-stub/http/exchange.h"

namespace arkvory::server {

enum class OperatorPage { metrics, queue };

// The refusal, or nothing where the page is to be shown. `is_from_loopback`: the client's end of the connection is on
// this machine. A request that says that it was passed on comes from who knows where.
std::optional<Answer> operator_refusal(const Request& request, OperatorPage page, bool is_from_loopback);

}  // namespace arkvory::server
