// SPDX-License-Identifier: Apache-2.0
// The host of a URL (RFC 3986 §3.2.2) in one canonical form, so that no other spelling of an address gets past a check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

// A name in lower case; an IPv4 address in dotted decimal whatever way it was written (`0x7f.1`, `2130706433`, with a
// dot at the end: the resolver takes all of them); an IPv6 address, which is given in brackets, as RFC 5952 has it,
// without them. Nothing where it is none of these: other characters than `A-Za-z0-9._-` (percent-encoding and non-ASCII
// names among them), more than 253 bytes, zones.
std::optional<std::string> canonical_host(std::string_view text);

bool is_ipv6(std::string_view host);
// Of canonical hosts: `localhost`, 127.0.0.0/8 or ::1.
bool is_loopback_host(const std::string& host);
// Of canonical hosts: 169.254.0.0/16, also mapped into IPv6, or fe80::/10.
bool is_link_local_host(const std::string& host);

}  // namespace arkvory
