// SPDX-License-Identifier: Apache-2.0
// Text in our JSON files: paths and header values are bytes, JSON strings are UTF-8. What is no UTF-8 is written as
// hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

std::string bytes_to_hex(std::string_view bytes);                 // lower case
std::optional<std::string> bytes_from_hex(std::string_view hex);  // pairs of lower-case digits, nothing else

}  // namespace arkvory
