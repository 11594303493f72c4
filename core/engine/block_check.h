// SPDX-License-Identifier: Apache-2.0
// Whether the blocks of a part file still are as they were written, piece by piece.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/interval_set.h"
#include "core/base/result.h"
#include "core/engine/block_digests.h"

namespace arkvory {

class BlockCheck {
 public:
  // Of the blocks that lie whole within `claimed`, of an object of `size` bytes; the others are passed over.
  BlockCheck(const IntervalSet& claimed, const BlockDigests& blocks, std::uint64_t size);

  bool is_over() const { return at_ == wanted_.size(); }
  // Reads at most one buffer's length. Not after it is over.
  Result<void> advance(File& file, std::span<std::byte> buffer);
  // The numbers of those that are not as they were written, as far as it has come.
  const std::vector<std::uint64_t>& damaged() const { return damaged_; }

 private:
  struct Wanted {
    std::uint64_t block;
    std::uint64_t digest;
    ByteRange bytes;
  };

  void end_block(bool is_whole);

  std::vector<Wanted> wanted_;
  std::size_t at_ = 0;
  std::uint64_t position_ = 0;  // within the block
  Xxh3 digest_;
  std::vector<std::uint64_t> damaged_;
};

// The same in one go.
Result<std::vector<std::uint64_t>> damaged_blocks(File& file, const IntervalSet& claimed, const BlockDigests& blocks,
                                                  std::uint64_t size);

}  // namespace arkvory
