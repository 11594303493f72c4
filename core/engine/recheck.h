// SPDX-License-Identifier: Apache-2.0
// Bytes that are held already and are fetched once more, to compare them (client.md, Trust in ranges): a few, to learn
// whether the object still is the same, or all, to find those that came wrong. A value; Fetch asks and compares.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/interval_set.h"
#include "core/base/rng.h"
#include "core/engine/block_digests.h"
#include "core/engine/remote_object.h"

namespace arkvory {

class Recheck {
 public:
  enum class Purpose {
    identity,  // the first byte that differs says that it is another object
    repair,    // bytes that differ are written over
  };

  // `wanted` bytes of an object of `size`.
  Recheck(Purpose purpose, const IntervalSet& wanted, std::uint64_t size);

  Purpose purpose() const { return purpose_; }
  // What answers are held against: the size alone. The bytes tell whether it is the same object, not its names.
  RemoteObject expected() const { return {.size = size_}; }
  // All that this answer was to bring has come, and was as what is held: so it calls itself.
  void agreed(const RemoteObject& object) { agreed_.push_back(object); }
  const std::vector<RemoteObject>& agreed() const { return agreed_; }
  // Everything that is not to be asked for (any more).
  const IntervalSet& settled() const { return settled_; }
  bool is_over() const { return settled_.contains_all_to(size_); }
  void came(const ByteRange& range) { settled_.add(range); }
  // A stream begins again at zero.
  void begin_again();

  void repaired(std::uint64_t bytes) { repaired_ += bytes; }
  std::uint64_t repaired() const { return repaired_; }

 private:
  Purpose purpose_;
  std::uint64_t size_;
  std::vector<RemoteObject> agreed_;
  IntervalSet settled_;
  std::uint64_t repaired_ = 0;
};

// What is compared of what is held: its last 64 KiB and one complete block, drawn by chance.
IntervalSet sample_of(const IntervalSet& held, const BlockDigests& complete, std::uint64_t size, Rng& chance);

}  // namespace arkvory
