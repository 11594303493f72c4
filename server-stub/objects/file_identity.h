// SPDX-License-Identifier: Apache-2.0
// Which content a file has, as far as the file system can tell without reading it.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/clock.h"

namespace arkvory::server {

// Two equal identities mean the same bytes: an inode can come back and an mtime can be set, but a ctime can be neither
// chosen nor kept. The limit of this: two writes within one tick of the kernel's clock (up to 10 ms) leave equal times.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;        // bytes
  std::int64_t modified_ns = 0;  // since 1970, UTC; cut to what 64 bits hold
  std::int64_t changed_ns = 0;

  static FileIdentity of(const struct stat& status);
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct FileIdentityHash {
  std::size_t operator()(const FileIdentity& identity) const noexcept;
};

// The strong entity tag, quotes included (protocol.md §1): from size, inode, mtime and ctime, so that it outlives a
// restart. It is a digest of them, because a bare inode number is nobody's business. The device is left out: its number
// may be another one after a reboot.
std::string entity_tag(const FileIdentity& identity);

// For Last-Modified: never later than `now` (RFC 9110 §8.8.2.1), never before 1970, whole seconds.
WallTime last_modified(const FileIdentity& identity, WallTime now);

}  // namespace arkvory::server
