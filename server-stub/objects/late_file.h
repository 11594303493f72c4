// SPDX-License-Identifier: Apache-2.0
// A file as it was a moment ago, opened only if its bytes are asked for after all.
#pragma once

#include <utility>

#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

// For those who most likely are told to wait: what they ask for is opened once for all of them, not for each.
class LateFile final : public ObjectFile {
 public:
  LateFile(FileTree& tree, RelativePath path, const FileIdentity& identity)
      : tree_(tree), path_(std::move(path)), identity_(identity) {}

  const FileIdentity& identity() const override { return identity_; }
  std::optional<Result<std::size_t>> read_cached(std::uint64_t, std::span<std::byte>) override { return std::nullopt; }
  // Opens it anew each time. Fault::changed also where another file is there by now, or none.
  Result<void> read(std::uint64_t offset, std::span<std::byte> into) override;

 private:
  FileTree& tree_;
  RelativePath path_;
  FileIdentity identity_;
};

}  // namespace arkvory::server
