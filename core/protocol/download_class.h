// SPDX-License-Identifier: Apache-2.0
// The classes of downloads (protocol.md §2, rule O2), highest first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace arkvory {

enum class DownloadClass : std::uint8_t { interactive, release, bulk, background };

inline constexpr std::array<std::string_view, 4> kDownloadClassNames{"interactive", "release", "bulk", "background"};

constexpr std::string_view to_string(DownloadClass name) { return kDownloadClassNames[static_cast<std::size_t>(name)]; }

// Exactly one of the names, in lower case.
constexpr std::optional<DownloadClass> parse_download_class(std::string_view text) {
  for (std::size_t i = 0; i < kDownloadClassNames.size(); ++i)
    if (kDownloadClassNames[i] == text) return static_cast<DownloadClass>(i);
  return std::nullopt;
}

// Asking only ever lowers: what applies to a principal of class `own` who asks for `asked`.
constexpr DownloadClass lowered(DownloadClass own, DownloadClass asked) { return std::max(own, asked); }

}  // namespace arkvory
