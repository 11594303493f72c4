// SPDX-License-Identifier: Apache-2.0
// The target of a request: what of it is a path, and what of it may be shown.
#pragma once

#include <string>
#include <string_view>

namespace arkvory::server {

// The path of a target in origin form or absolute form (RFC 9112 §3.2), still percent-encoded, without its query.
std::string_view path_of(std::string_view target);

// For logs: the token of a share link (`/d/{token}`) and a query, which may hold a signature, are shown as `…`.
std::string redacted(std::string_view target);

}  // namespace arkvory::server
