// SPDX-License-Identifier: Apache-2.0
// Percent-encoding (RFC 3986 §2.1), undone exactly once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

// Nothing where a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);
// As above, but such a `%` stands for itself.
std::string percent_decoded_where_valid(std::string_view text);
// Spaces, and bytes above 0x7F, encoded; all else as it is.
std::string percent_encoded_where_needed(std::string_view text);

}  // namespace arkvory
