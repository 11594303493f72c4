// SPDX-License-Identifier: Apache-2.0
// What the checkpoint's encoder and decoder agree on, beyond the names of the fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/interval_set.h"
#include "core/engine/block_digests.h"
#include "core/engine/remote_object.h"

namespace arkvory {

// The last line: this, 16 lower-case digits, and the end.
inline constexpr std::string_view kChecksumBefore = "  \"checksum\": \"";
inline constexpr std::string_view kChecksumAfter = "\"\n}\n";
inline constexpr std::size_t kChecksumDigits = 16;

inline constexpr std::size_t kMostRanges = 50'000;   // at most 43 bytes of text each
inline constexpr std::size_t kMostRuns = 50'000;     // of neighbouring blocks, at most 28 bytes each
inline constexpr std::size_t kMostBlocks = 500'000;  // 16 bytes each; 3.8 TiB
inline constexpr std::size_t kLongestError = 4096;   // bytes of `last_error`
// What the decoder lets the JSON parser see: far above what the encoder writes, far below what would cost memory.
inline constexpr std::size_t kMostValues = 1'000'000;
inline constexpr std::size_t kDeepest = 4;
inline constexpr std::uint64_t kLargestOffset = std::numeric_limits<std::int64_t>::max();

// The block lies whole within the claims. Where the object's size is not known, how long its last block is can't be
// known either: then its beginning must be claimed.
inline bool block_is_claimed(std::uint64_t block, const std::optional<RemoteObject>& object,
                             const IntervalSet& claimed) {
  if (block > kLargestOffset / kBlockSize - 1) return false;
  const auto begin = block * kBlockSize;
  if (!object || !object->size) return claimed.contains(ByteRange(begin, begin + 1));
  return begin < *object->size && claimed.contains(block_range(block, *object->size));
}

}  // namespace arkvory
