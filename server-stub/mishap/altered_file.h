// SPDX-License-Identifier: Apache-2.0
// A file that reads as another one: bytes flipped, or the identity of another version.
#pragma once

#include <memory>

#include "core/base/byte_range.h"
#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

class AlteredFile final : public ObjectFile {
 public:
  // `flipped`: the bytes that come out with each of their bits turned; none: all as they are.
  AlteredFile(std::shared_ptr<ObjectFile> file, const FileIdentity& identity, std::optional<ByteRange> flipped)
      : file_(std::move(file)), identity_(identity), flipped_(flipped) {}

  const FileIdentity& identity() const override { return identity_; }
  std::optional<Result<std::size_t>> read_cached(std::uint64_t offset, std::span<std::byte> into) override;
  Result<void> read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  void flip(std::uint64_t offset, std::span<std::byte> bytes) const;

  std::shared_ptr<ObjectFile> file_;
  FileIdentity identity_;
  std::optional<ByteRange> flipped_;
};

// With the byte at `at` wrong; the same file where it has none there.
std::shared_ptr<ObjectFile> corrupted(std::shared_ptr<ObjectFile> file, std::uint64_t at);

// As if an older version had been put in its place: a day older, with another tag, of the same size.
std::shared_ptr<ObjectFile> replaced(std::shared_ptr<ObjectFile> file, bool has_same_bytes);

}  // namespace arkvory::server
