// SPDX-License-Identifier: Apache-2.0
#include "core/engine/part_file.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace arkvory {

namespace {

constexpr std::size_t kReadPiece = 256 * 1024;

// The digest of bytes already in a file, read in pieces so that memory stays small. Nothing where the file ends early.
Result<std::optional<std::uint64_t>> digest_of_range(File& file, const ByteRange& range) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(kReadPiece, range.length()));
  Xxh3 digest;
  for (auto at = range.begin(); at < range.end();) {
    const auto wanted = std::min<std::uint64_t>(piece.size(), range.end() - at);
    auto got = file.read_at(at, std::span(piece).first(wanted));
    if (!got) return pass_on(got.error());
    if (*got < wanted) return std::optional<std::uint64_t>();
    digest.update(std::span(piece).first(*got));
    at += *got;
  }
  return std::optional(digest.value());
}

}  // namespace

PartFile::PartFile(std::shared_ptr<File> file, std::filesystem::path path)
    : file_(std::move(file)), path_(std::move(path)) {}

Result<void> PartFile::adopt(const IntervalSet& claimed, const BlockDigests& blocks) {
  auto size = file_->size();
  if (!size) return pass_on(size.error());
  held_ = *size == 0 ? IntervalSet() : claimed.within(ByteRange(0, *size));
  fresh_.clear();
  unsynced_ = 0;
  filling_.clear();
  digested_.clear();
  for (const auto& [block, digest] : blocks) {
    const auto whole = whole_block(block);
    if (whole && held_.contains(*whole)) digested_[block] = digest;
  }
  synced_.ranges_ = held_;
  synced_.blocks_ = digested_;
  return {};
}

std::optional<ByteRange> PartFile::whole_block(std::uint64_t block) const {
  const auto begin = block * kBlockSize;
  if (object_size_) return begin < *object_size_ ? std::optional(block_range(block, *object_size_)) : std::nullopt;
  return ByteRange(begin, begin + kBlockSize);
}

Result<void> PartFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  const ByteRange range(offset, offset + bytes.size());
  if (auto written = file_->write_at(offset, bytes); !written) return pass_on(written.error());
  held_.add(range);
  fresh_.add(range);
  unsynced_ += bytes.size();
  digest_written(offset, bytes);
  return {};
}

void PartFile::digest_written(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto block = offset / kBlockSize;
    const auto here = std::min<std::uint64_t>(bytes.size(), (block + 1) * kBlockSize - offset);
    auto at = filling_.find(block);
    if (at == filling_.end() && offset == block * kBlockSize && !is_one_block())
      at = filling_.emplace(block, Filling{{}, offset}).first;
    if (at != filling_.end() && at->second.next == offset) {
      at->second.digest.update(bytes.first(here));
      at->second.next += here;
      const auto whole = whole_block(block);
      if (whole && at->second.next == whole->end()) {
        digested_[block] = at->second.digest.value();
        filling_.erase(at);
      }
    }
    offset += here;
    bytes = bytes.subspan(here);
  }
}

Result<bool> PartFile::equals(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::vector<std::byte> piece(std::min(kReadPiece, bytes.size()));
  while (!bytes.empty()) {
    const auto wanted = bytes.first(std::min(piece.size(), bytes.size()));
    auto got = file_->read_at(offset, std::span(piece).first(wanted.size()));
    if (!got) return pass_on(got.error());
    if (*got < wanted.size() || !std::equal(wanted.begin(), wanted.end(), piece.begin())) return false;
    offset += wanted.size();
    bytes = bytes.subspan(wanted.size());
  }
  return true;
}

Result<void> PartFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  const ByteRange range(offset, offset + bytes.size());
  // First of all: whatever becomes of the write, what stood there before is no longer known to stand there.
  forget_digests(range);
  synced_.ranges_.remove(range);
  if (auto written = file_->write_at(offset, bytes); !written) {
    held_.remove(range);
    fresh_.remove(range);
    return pass_on(written.error());
  }
  fresh_.add(range);
  unsynced_ += bytes.size();
  return {};
}

void PartFile::drop(const ByteRange& range) {
  held_.remove(range);
  fresh_.remove(range);
  synced_.ranges_.remove(range);
  forget_digests(range);
}

void PartFile::forget_digests(const ByteRange& range) {
  for (auto block = range.begin() / kBlockSize; block <= (range.end() - 1) / kBlockSize; ++block) {
    digested_.erase(block);
    synced_.blocks_.erase(block);
    filling_.erase(block);
  }
}

Result<void> PartFile::restart() {
  held_.clear();
  fresh_.clear();
  filling_.clear();
  digested_.clear();
  synced_ = SyncedRanges();
  unsynced_ = 0;
  auto size = file_->size();
  if (!size) return pass_on(size.error());
  return *size == 0 ? Result<void>() : file_->truncate(0);
}

// Blocks that were not filled in order have no digest yet: they are read back, mostly from the page cache.
Result<void> PartFile::digest_complete_blocks() {
  for (const auto& range : held_.ranges()) {
    const auto last = (range.end() - 1) / kBlockSize;
    for (auto block = range.begin() / kBlockSize; block <= last; ++block) {
      if (digested_.contains(block)) continue;
      const auto whole = whole_block(block);
      if (!whole || !range.contains(*whole)) continue;
      auto digest = digest_of_range(*file_, *whole);
      if (!digest) return pass_on(digest.error());
      if (!digest->has_value())
        return fail(Fault::local, path_.string() + " was shortened by another program while it was written");
      digested_[block] = **digest;
      filling_.erase(block);
    }
  }
  return {};
}

Result<void> PartFile::sync() {
  if (auto synced = sync_bytes(); !synced) return synced;
  if (!may_lack_digests_) return {};
  if (auto digested = digest_complete_blocks(); !digested) return pass_on(digested.error());
  may_lack_digests_ = false;
  synced_.blocks_ = digested_;
  return {};
}

Result<void> PartFile::sync_bytes() {
  if (fresh_.empty()) return {};
  if (auto synced = file_->sync(); !synced) {
    held_ = synced_.ranges_;
    digested_ = synced_.blocks_;
    filling_.clear();
    fresh_.clear();
    unsynced_ = 0;
    return pass_on(synced.error());
  }
  fresh_.clear();
  unsynced_ = 0;
  synced_.ranges_ = held_;
  may_lack_digests_ = true;
  return {};
}

Result<bool> finish_rename(FileSystem& files, const std::filesystem::path& part, const FileStatus& status,
                           const std::filesystem::path& target) {
  if (status.names < 2) return false;
  auto standing = files.status(target);
  if (!standing) return pass_on(standing.error());
  if (!*standing || (*standing)->identity != status.identity) return false;
  if (auto removed = files.remove(part); !removed) return pass_on(removed.error());
  return true;
}

}  // namespace arkvory
