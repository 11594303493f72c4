// SPDX-License-Identifier: Apache-2.0
// A part file: an object's bytes at their offsets, and the knowledge which of them are held and which are on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/interval_set.h"
#include "core/base/result.h"
#include "core/engine/block_digests.h"
#include "core/engine/synced_ranges.h"

namespace arkvory {

class PartFile {
 public:
  // An open part file of which nothing is believed.
  PartFile(std::shared_ptr<File> file, std::filesystem::path path);

  // Believes what an earlier run claimed, as far as the file is long enough to hold it.
  Result<void> adopt(const IntervalSet& claimed, const BlockDigests& blocks);
  // Needed before block digests of the object's last, shorter block can be told.
  void set_object_size(std::uint64_t size) { object_size_ = size; }

  // Writes bytes never held before. After a failure these bytes are not held.
  Result<void> write(std::uint64_t offset, std::span<const std::byte> bytes);
  // The bytes at `offset` in the file are these. All of them must be held.
  Result<bool> equals(std::uint64_t offset, std::span<const std::byte> bytes);
  // Writes over bytes that are held: what they were before is known to be wrong.
  Result<void> overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  // These bytes are held no longer; the file keeps whatever it has there.
  void drop(const ByteRange& range);
  // Gives up everything held; the file is empty afterwards.
  Result<void> restart();

  // Puts all that is held on disk. After a failure only what the last success covered is held (client.md, State on
  // disk).
  Result<void> sync();
  // The same for a file of which no record will speak: blocks without a digest are not read back for one.
  Result<void> sync_bytes();

  const IntervalSet& held() const { return held_; }
  // Only what is on disk, for a ProgressLog.
  const SyncedRanges& synced() const { return synced_; }
  // Of complete blocks, on disk or not; all of them after `sync`.
  const BlockDigests& digested() const { return digested_; }
  std::uint64_t unsynced_bytes() const { return unsynced_; }

  const std::shared_ptr<File>& file() const { return file_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  // A block that fills from its border on in order is digested as it comes; others are read back once complete. So is
  // the only block of a small object: mostly it is published before any record needs its digest.
  struct Filling {
    Xxh3 digest;
    std::uint64_t next = 0;  // where the digest stands
  };

  void forget_digests(const ByteRange& range);
  void digest_written(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<void> digest_complete_blocks();
  bool is_one_block() const { return object_size_ && *object_size_ <= kBlockSize; }
  std::optional<ByteRange> whole_block(std::uint64_t block) const;

  std::shared_ptr<File> file_;
  std::filesystem::path path_;
  std::optional<std::uint64_t> object_size_;
  IntervalSet held_;
  IntervalSet fresh_;  // held, but not known to be on disk
  SyncedRanges synced_;
  std::uint64_t unsynced_ = 0;
  bool may_lack_digests_ = false;             // of blocks that are on disk
  std::map<std::uint64_t, Filling> filling_;  // by block; at most one per connection
  BlockDigests digested_;                     // complete blocks, on disk or not
};

// A power cut may leave a file that was published under both names. To write to its part file would be to write to the
// target: where `part`, of which `status` is known, is such a name it is removed, and that is told by true.
Result<bool> finish_rename(FileSystem& files, const std::filesystem::path& part, const FileStatus& status,
                           const std::filesystem::path& target);

}  // namespace arkvory
