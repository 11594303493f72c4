// SPDX-License-Identifier: Apache-2.0
#include "core/engine/block_check.h"

#include <algorithm>

namespace arkvory {

BlockCheck::BlockCheck(const IntervalSet& claimed, const BlockDigests& blocks, std::uint64_t size) {
  for (const auto& [block, digest] : blocks) {
    if (block > size / kBlockSize || block * kBlockSize >= size) continue;
    const auto bytes = block_range(block, size);
    if (claimed.contains(bytes)) wanted_.push_back({block, digest, bytes});
  }
}

Result<void> BlockCheck::advance(File& file, std::span<std::byte> buffer) {
  const auto& wanted = wanted_[at_];
  const auto piece = buffer.first(std::min<std::uint64_t>(buffer.size(), wanted.bytes.length() - position_));
  auto got = file.read_at(wanted.bytes.begin() + position_, piece);
  if (!got) return pass_on(got.error());
  digest_.update(piece.first(*got));
  position_ += *got;
  if (*got < piece.size()) {
    end_block(false);
  } else if (position_ == wanted.bytes.length()) {
    end_block(true);
  }
  return {};
}

void BlockCheck::end_block(bool is_whole) {
  if (!is_whole || digest_.value() != wanted_[at_].digest) damaged_.push_back(wanted_[at_].block);
  digest_ = Xxh3();
  position_ = 0;
  ++at_;
}

Result<std::vector<std::uint64_t>> damaged_blocks(File& file, const IntervalSet& claimed, const BlockDigests& blocks,
                                                  std::uint64_t size) {
  BlockCheck check(claimed, blocks, size);
  std::vector<std::byte> buffer(256 * 1024);
  while (!check.is_over())
    if (auto done = check.advance(file, buffer); !done) return pass_on(done.error());
  return check.damaged();
}

}  // namespace arkvory
