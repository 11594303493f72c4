// SPDX-License-Identifier: Apache-2.0
// A file of which only the identity matters.
#pragma once

#include "server-stub/objects/file_tree.h"

namespace arkvory::test {

class KnownFile final : public server::ObjectFile {
 public:
  explicit KnownFile(std::uint64_t size, WallTime modified = WallTime(std::chrono::seconds(784111777))) {
    identity_ = {1, 2, size, modified.time_since_epoch().count(), modified.time_since_epoch().count()};
  }
  const server::FileIdentity& identity() const override { return identity_; }
  std::optional<Result<std::size_t>> read_cached(std::uint64_t, std::span<std::byte>) override { return std::nullopt; }
  Result<void> read(std::uint64_t, std::span<std::byte>) override { return {}; }

 private:
  server::FileIdentity identity_;
};

}  // namespace arkvory::test
