// SPDX-License-Identifier: Apache-2.0
// The small index of a folder: HTML for people, JSON for programs that accept it.
#pragma once

#include "core/http/headers.h"
#include "server-stub/http/exchange.h"
#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

// More entries are left out, and the page says so.
inline constexpr std::size_t kMostEntries = 10'000;

// JSON: {"path":"/files/a/","entries":[{"name","type":"file"|"folder","size","modified","href"}],"complete":true};
// `size` and `modified` (RFC 3339) for files only. A name that is no UTF-8 is shown with replacement characters; `href`
// is exact.
Answer folder_page(const Folder& folder, const RelativePath& path, const Headers& request);

// Whether Accept prefers application/json to text/html (RFC 9110 §12.5.1). Without preference: false.
bool prefers_json(const Headers& request);

}  // namespace arkvory::server
