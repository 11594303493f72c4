// SPDX-License-Identifier: Apache-2.0
// A file name from outside, made safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/http/headers.h"
#include "core/http/url.h"

namespace arkvory {

// The file name parameter of Content-Disposition (RFC 6266): `filename*` (RFC 8187) before `filename`. Raw, not yet
// safe.
std::optional<std::string> disposition_name(const Headers& headers);

// A name that can stand in a folder of ours: decoded by the caller, last component (after `/` and `\`), control and
// direction characters out, no leading dash, dot or space, invalid UTF-8 replaced, trimmed on a character to leave room
// for our longest suffix, the extension kept. A name that ends as our own state does (`.arkvory`, `.arkvory-part`) has
// that dot replaced: no server may lay down a checkpoint. Nothing where nothing is left.
std::optional<std::string> safe_file_name(std::string_view name);

// The name for an answer: from Content-Disposition, else from the URL's last component (percent-decoded once), else
// `download`.
std::string file_name_for(const Headers& headers, const Url& url);

}  // namespace arkvory
