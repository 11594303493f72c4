// SPDX-License-Identifier: Apache-2.0
// The file, pipe or terminal that a list (-i) is read from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/result.h"

namespace arkvory::cli {

class ListFile {
 public:
  // `name` is a path from `current`, or `-` for standard input. Fault::usage where it can't be opened or is a folder.
  static Result<ListFile> open(const std::string& name, const std::filesystem::path& current);

  int descriptor() const { return descriptor_.number(); }
  // Bytes may have to be waited for: a pipe, a terminal.
  bool may_wait() const { return may_wait_; }
  // It can be read again by another run: a file with a name. `path` is absolute and without links then.
  bool is_lasting() const { return is_lasting_; }
  const std::filesystem::path& path() const { return path_; }
  // The text begins with so many bytes of that XXH3. Only for a lasting one; its place of reading does not change.
  Result<bool> begins_with(std::uint64_t length, std::uint64_t digest) const;

 private:
  ListFile(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Descriptor descriptor_;
  std::filesystem::path path_;
  bool may_wait_ = false;
  bool is_lasting_ = false;
};

}  // namespace arkvory::cli
