// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace arkvory::cli {

// The known word that a mistyped one most likely means: the nearest by edit distance (insertion, deletion, change,
// swap of neighbours), where it is at most a third of the word, and 3, away. Of several, the first.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known);

}  // namespace arkvory::cli
