// SPDX-License-Identifier: Apache-2.0
// Which file holds which content: what the indexer has found out so far. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/digest.h"
#include "server-stub/objects/file_identity.h"
#include "server-stub/objects/relative_path.h"

namespace arkvory::server {

// Its size is bounded by the number of files under the root: one entry a path.
class DigestIndex {
 public:
  struct Place {
    RelativePath path;
    FileIdentity identity;  // the path holds the digest's content only while it has this identity
  };

  // The digest of a file with exactly this identity, whatever its path.
  std::optional<Sha256Digest> digest_of(const FileIdentity& identity) const;
  // Where a content was found, in the order it was found there: the first one keeps the artifact's ETag stable when a
  // copy turns up later.
  std::vector<Place> places_of(const Sha256Digest& digest) const;
  void record(const RelativePath& path, const FileIdentity& identity, const Sha256Digest& digest);

  // One scan of the tree: between `begin_scan` and `end_scan` every path seen is confirmed or recorded; what was
  // neither is forgotten at the end.
  void begin_scan();
  // True where the path's digest is known for this identity, so that nothing needs to be read.
  bool confirm(const RelativePath& path, const FileIdentity& identity);
  void end_scan();

  std::size_t size() const;

 private:
  struct Entry {
    FileIdentity identity;
    Sha256Digest digest;
    std::uint64_t scan;   // the last one that saw it
    std::uint64_t order;  // of recording
  };
  struct Known {
    Sha256Digest digest;
    std::size_t paths = 0;
  };
  using Entries = std::map<std::string, Entry>;

  void put(const std::string& path, const FileIdentity& identity, const Sha256Digest& digest);
  Entries::iterator drop(Entries::iterator entry);

  mutable std::mutex mutex_;
  Entries by_path_;
  std::unordered_map<FileIdentity, Known, FileIdentityHash> by_identity_;
  // digest in hex → order of recording → path
  std::map<std::string, std::map<std::uint64_t, std::string>> by_digest_;
  std::uint64_t scan_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace arkvory::server
