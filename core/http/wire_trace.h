// SPDX-License-Identifier: Apache-2.0
// What went over the wire, as lines that may be shown: no credentials, no tickets, no queries of URLs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arkvory {

enum class TraceKind { sent, received, note };

// The lines of one piece of trace, each with its sign (`> `, `< `, `* `), redacted; control characters are dropped.
// Of what is sent only fields known to be harmless show their value, because any other may be a `-H` of the user's with
// a key in it. Notes that repeat header fields are left out.
std::vector<std::string> shown_lines(TraceKind kind, std::string_view text);

}  // namespace arkvory
