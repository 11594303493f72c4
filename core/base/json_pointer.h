// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace arkvory {

// One more step of a JSON Pointer (RFC 6901 §3): `/a~1b` for the key `a/b`. Control characters are shown as `?`, so
// that what names a fault stays one line.
std::string json_pointer_step(std::string_view key);
std::string json_pointer_step(std::size_t index);

}  // namespace arkvory
