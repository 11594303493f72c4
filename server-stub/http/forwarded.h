// SPDX-License-Identifier: Apache-2.0
// The header `Forwarded` (RFC 7239): through which machines a request came.
#pragma once

#include <optional>
#include <vector>

#include "core/http/headers.h"
#include "server-stub/http/ip_address.h"

namespace arkvory::server {

// Whom each machine on the way had its request from, the client's end first; nothing in place of an address that a
// machine keeps to itself: `unknown`, a name of its own such as `_hidden`, or no `for`. Several fields are one list.
//
// Nothing at all where any part of it is malformed: what stands where is then anyone's guess. Spaces beside `;` are
// taken, for some write them; names of hosts, and IPv6 addresses or ports without quotes, are not.
std::optional<std::vector<std::optional<IpAddress>>> forwarded_for(const Headers& headers);

}  // namespace arkvory::server
