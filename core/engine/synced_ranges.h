// SPDX-License-Identifier: Apache-2.0
// Proof that bytes are on disk.
#pragma once

#include "core/base/interval_set.h"
#include "core/engine/block_digests.h"

namespace arkvory {

// The ranges of a part file that a successful sync, or the check of an earlier run's claim, has shown to be on disk,
// with the digests of the blocks that lie whole within them. Only PartFile adds to it, so a checkpoint that takes
// nothing else can't speak of bytes that a power cut would lose.
class SyncedRanges {
 public:
  SyncedRanges() = default;

  const IntervalSet& ranges() const { return ranges_; }
  const BlockDigests& blocks() const { return blocks_; }

 private:
  friend class PartFile;
  IntervalSet ranges_;
  BlockDigests blocks_;
};

}  // namespace arkvory
