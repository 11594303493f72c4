// SPDX-License-Identifier: Apache-2.0
#include "cli/sub_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace arkvory::cli {

namespace {

namespace fs = std::filesystem;

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

Result<fs::path> SubFolders::folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return folder_;
  const auto parent = std::string(path.substr(0, slash));
  if (parent == last_) return last_folder_;
  auto folder = folder_;
  for (const auto& part : fs::path(parent)) {
    std::error_code failure;
    if (!may_make_ && !fs::exists(folder / part, failure)) return folder_ / parent;
    const bool is_new = fs::create_directory(folder / part, failure);
    if (failure)
      return fail(Fault::local, fmt::format("the folder {} can't be made", (folder / part).native()),
                  failure.message());
    if (is_new)
      if (auto synced = files_.sync_folder(folder); !synced) return pass_on(synced.error());
    folder = fs::canonical(folder / part, failure);
    if (failure) return fail(Fault::local, fmt::format("the folder {} can't be used", parent), failure.message());
    if (!is_inside(folder, folder_))
      return fail(Fault::usage,
                  fmt::format("out leads out of the folder: {} is a link to {}", parent, folder.native()));
  }
  last_ = parent;
  last_folder_ = folder;
  return folder;
}

}  // namespace arkvory::cli
