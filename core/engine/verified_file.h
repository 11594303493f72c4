// SPDX-License-Identifier: Apache-2.0
// A whole file whose bytes are known to be right. Only `check` makes one, and it can be published once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/result.h"
#include "core/engine/synced_ranges.h"

namespace arkvory {

// How a file takes its final name.
struct Publishing {
  bool replace = false;                             // put it in the place of what is there (--force)
  std::optional<WallTime> modified = std::nullopt;  // give it this time (--remote-time)
};

class VerifiedFile {
 public:
  // What is to be checked: `size` bytes, all on disk, whose digest was computed where one is expected.
  struct Evidence {
    std::uint64_t size = 0;
    const SyncedRanges& on_disk;
    std::optional<Sha256Digest> expected{};  // the user's, else the server's; absent: only the size can be checked
    std::optional<Sha256Digest> computed{};  // over the file as it is on disk
  };

  // Fault::integrity where the digest is another one, Fault::local where the file is not as long as the object.
  // Evidence of too few bytes is a bug of ours.
  static Result<VerifiedFile> check(std::shared_ptr<File> file, std::filesystem::path path, const Evidence& evidence);

  // Gives the file its final name, durably: access bits of a new file, atomic rename, folder synced. Fault::local where
  // something stands under the name and may not be replaced; the verified bytes stay under their staging name then.
  Result<void> publish_as(FileSystem& files, const std::filesystem::path& target, const Publishing& how) &&;

 private:
  VerifiedFile(std::shared_ptr<File> file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::shared_ptr<File> file_;
  std::filesystem::path path_;
};

// The SHA-256 of a whole file, read in pieces.
Result<Sha256Digest> sha256_of(File& file);

}  // namespace arkvory
