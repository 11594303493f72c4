// SPDX-License-Identifier: Apache-2.0
// Which downloads this user has not finished: one small file per target in STATE/registry/, so that processes that
// work on different targets never write the same file. Described in FORMAT.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory {

class Registry {
 public:
  // `state_folder` is made at the first `add`. Every path given to a registry is absolute.
  Registry(FileSystem& files, std::filesystem::path state_folder);

  // Durable when it returns. A target that is there already keeps the time of its first adding.
  Result<void> add(const std::filesystem::path& target, WallTime time);
  // Durable when it returns; an absent target is success.
  Result<void> remove(const std::filesystem::path& target);

  struct Entry {
    std::filesystem::path target;
    WallTime added{};
  };
  struct Listing {
    std::vector<Entry> entries;      // sorted by the time added, then by name
    std::vector<std::string> notes;  // entries passed over because they are damaged or newer
  };
  // Whether a download is still there is for the caller to see: an entry may outlive it by a crash.
  Result<Listing> targets();

 private:
  std::filesystem::path entry_path(const std::filesystem::path& target) const;

  FileSystem& files_;
  std::filesystem::path folder_;
};

}  // namespace arkvory
