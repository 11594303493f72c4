// SPDX-License-Identifier: Apache-2.0
// The real file tree: a folder of this machine, which no path leaves.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

// How a path is kept inside the root.
enum class Confinement {
  by_kernel,     // openat2(RESOLVE_BENEATH): symlinks are followed as long as they stay inside
  by_component,  // for kernels and sandboxes without openat2: no symlink is followed at all
};

class RootFolder final : public FileTree {
 public:
  // Opens the folder; Fault::local with words where it is none or may not be read. The kernel is asked where it can.
  static Result<std::unique_ptr<RootFolder>> open_root(const std::filesystem::path& folder);
  static Result<std::unique_ptr<RootFolder>> open_root(const std::filesystem::path& folder, Confinement confinement);

  ~RootFolder() override;
  RootFolder(const RootFolder&) = delete;
  RootFolder& operator=(const RootFolder&) = delete;

  Result<Found> open(const RelativePath& path) override;
  std::optional<Result<Found>> open_cached(const RelativePath& path) override;

 private:
  RootFolder(int descriptor, Confinement confinement) : descriptor_(descriptor), confinement_(confinement) {}

  int descriptor_;
  Confinement confinement_;
  std::atomic<bool> may_ask_cache_{true};  // kernels before 5.12 can't tell what of a way is in memory
};

}  // namespace arkvory::server
