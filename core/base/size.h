// SPDX-License-Identifier: Apache-2.0
// Sizes, rates and durations as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace arkvory {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

// A whole decimal number without sign, spaces, leading plus or overflow. Nothing else.
std::optional<std::uint64_t> parse_number(std::string_view text);

// `8388608`, `8MiB` (2^20), `8MB` (10^6), `8M` (as MiB), `0.5GiB`; units B, K, M, G, T in any case. Whole string.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A size, with or without `/s`: bytes per second.
std::optional<std::uint64_t> parse_rate(std::string_view text);

// `30s`, `250ms`, `5m`, `1h30m`, `2d`, or a bare number of seconds; fractions on any unit. Whole string, no sign.
std::optional<Duration> parse_duration(std::string_view text);

std::string format_size(std::uint64_t bytes);     // `5.0 MiB`, `312 B`
std::string format_rate(double bytes_per_second);  // `5.0 MiB/s`
std::string format_duration(Duration duration);    // `47 min`, `3 s`, `1 h 05 min`, `2 d 03 h`

}  // namespace arkvory
