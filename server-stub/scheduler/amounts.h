// SPDX-License-Identifier: Apache-2.0
// Sums of bytes that never go below nothing and never overflow.
#pragma once

#include <algorithm>
#include <cstdint>

namespace arkvory::server {

// Larger sessions count as that large in sums: a million of them don't overflow.
inline constexpr std::uint64_t kLargestCounted = std::uint64_t{1} << 43U;

constexpr std::uint64_t less(std::uint64_t from, std::uint64_t amount) { return from - std::min(from, amount); }

}  // namespace arkvory::server
