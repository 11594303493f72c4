// SPDX-License-Identifier: Apache-2.0
// The objects of the server: by path and by content (protocol.md §1).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/result.h"
#include "server-stub/objects/digest_index.h"
#include "server-stub/objects/file_tree.h"
#include "server-stub/objects/indexer.h"

namespace arkvory::server {

// The digest may belong to a file that has not been read yet.
struct StillIndexing {};

using FoundObject = std::variant<Absent, StillIndexing, std::shared_ptr<ObjectFile>, Folder>;

// `open` may wait for the disk: only on a worker. `digest_of` never does; the others neither, and they are for one
// thread only.
class ObjectStore {
 public:
  ObjectStore(FileTree& tree, DigestIndex& index, Indexer& indexer) : tree_(tree), index_(index), indexer_(indexer) {}

  // An object that is asked for gets its digest found out, if it is not known.
  Result<FoundObject> open(const RelativePath& path);
  // The same without waiting; nothing where the disk would have to be waited for.
  std::optional<Result<FoundObject>> open_cached(const RelativePath& path, Instant now);
  // The file that `open_cached` found at `path` within the last second; null where that is not known. For those who ask
  // when it is their turn, and most likely are told to wait.
  std::shared_ptr<ObjectFile> found_lately(const RelativePath& path, Instant now) const;
  // A file whose identity still is the one its digest was found out for; a changed one is read again.
  Result<FoundObject> open(const Sha256Digest& digest);

  std::optional<Sha256Digest> digest_of(const FileIdentity& identity) const { return index_.digest_of(identity); }

 private:
  struct Lately {
    RelativePath path;
    Instant at;
    std::shared_ptr<ObjectFile> file;
  };

  FoundObject wanted(const RelativePath& path, Found found);
  std::size_t place_of(const RelativePath& path) const;

  FileTree& tree_;
  DigestIndex& index_;
  Indexer& indexer_;
  std::array<std::optional<Lately>, 16> lately_{};
};

}  // namespace arkvory::server
