// SPDX-License-Identifier: Apache-2.0
// A fast digest (XXH3) of each completed block of an object: tells later which blocks are still as they were written.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/byte_range.h"
#include "core/base/size.h"

namespace arkvory {

// Fixed, whatever the range size: blocks lie at multiples of it from the object's start; the last one may be shorter.
inline constexpr std::uint64_t kBlockSize = 8 * kMiB;

using BlockDigests = std::map<std::uint64_t, std::uint64_t>;  // block number → XXH3

// The bytes of a block of an object of `size` bytes. Requires block * kBlockSize < size.
inline ByteRange block_range(std::uint64_t block, std::uint64_t size) {
  return ByteRange(block * kBlockSize, std::min(size, (block + 1) * kBlockSize));
}

}  // namespace arkvory
