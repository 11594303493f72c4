// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory::cli {

// The folders below a list's folder that its entries name. Made where they are missing; a symbolic link among them must
// not lead out.
class SubFolders {
 public:
  // Without `may_make` a missing folder is taken for one that could be made.
  SubFolders(FileSystem& files, std::filesystem::path folder, bool may_make)
      : files_(files), folder_(std::move(folder)), may_make_(may_make) {}

  // The folder of `path` (list_entry.h, path_inside), absolute and without links; durable. Fault::local where it can't
  // be made or is no folder, Fault::usage where it lies outside.
  Result<std::filesystem::path> folder_of(std::string_view path);

 private:
  FileSystem& files_;
  const std::filesystem::path folder_;
  const bool may_make_;
  std::string last_{};  // entries of one folder follow each other, mostly
  std::filesystem::path last_folder_{};
};

}  // namespace arkvory::cli
