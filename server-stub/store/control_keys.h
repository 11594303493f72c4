// SPDX-License-Identifier: Apache-2.0
// Who may operate the server (protocol.md §5): named keys, apart from the principals, of which only the SHA-256 is
// kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory::server {

// A file of control keys, read once: lines `name sha256`; empty ones and those that begin with `#` are skipped.
class ControlKeys {
 public:
  // No file: there is no operator API.
  ControlKeys() = default;

  // Fault::usage with words that name the line: no name and hash, a hash that comes twice, or no key at all. Two keys
  // may share a name, so that one can take the other's place.
  static Result<ControlKeys> parse(std::string_view text);
  // As `parse`, with the file's name in the words; also where there is no such file. Fault::local where it can't be
  // read.
  static Result<ControlKeys> load(FileSystem& files, const std::filesystem::path& path);

  bool are_configured() const { return !keys_.empty(); }
  // Null for a key that is none. Takes the same time whichever key of the file it is, or none.
  const std::string* name_of(std::string_view key) const;

 private:
  struct Named {
    std::string name;
    Sha256Digest digest;
  };
  std::vector<Named> keys_{};
};

}  // namespace arkvory::server
