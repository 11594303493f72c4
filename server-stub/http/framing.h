// SPDX-License-Identifier: Apache-2.0
// Whether all who read a request see it end at the same place (RFC 9112 sections 6.1 and 6.3). Where a proxy before
// this server might see another end than this server does, the next request could be made of the body of this one.
#pragma once

#include <string_view>

#include "server-stub/http/exchange.h"

namespace arkvory::server {

// Empty where the end is plain: no body, one Content-Length of digits only, or one `Transfer-Encoding: chunked` of
// HTTP/1.1. Otherwise what is wrong: nothing that follows the header block can be trusted then.
std::string_view framing_fault(const Request& request);

// Whether it is a `uri-host [":" port]` as far as its characters go (RFC 9110 section 7.2); empty ones too.
bool is_host(std::string_view value);

}  // namespace arkvory::server
