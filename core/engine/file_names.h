// SPDX-License-Identifier: Apache-2.0
// The names beside a target (client.md, State on disk). The only place that makes them.
#pragma once

#include <filesystem>

namespace arkvory {

// Beside `dir/NAME`: `dir/NAME.arkvory`.
std::filesystem::path checkpoint_path(const std::filesystem::path& target);
// `dir/NAME.arkvory-part`; from generation 2 on `dir/NAME.g2.arkvory-part`.
std::filesystem::path part_path(const std::filesystem::path& target, unsigned generation = 1);
// `dir/NAME.bad.arkvory-part` and `dir/NAME.bad.arkvory`: set aside, never trusted.
std::filesystem::path bad_part_path(const std::filesystem::path& target);
std::filesystem::path bad_checkpoint_path(const std::filesystem::path& target);

// Room a target's name must leave below NAME_MAX for the longest of these suffixes, a temporary one included.
inline constexpr std::size_t kLongestSuffix = 32;

}  // namespace arkvory
