// SPDX-License-Identifier: Apache-2.0
// The tree of files that is served, as a port. The real one is RootFolder; its twin in tests holds or fails a read.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "server-stub/objects/file_identity.h"
#include "server-stub/objects/relative_path.h"

namespace arkvory::server {

// A regular file, open. Its reads never mix two contents: each one looks afterwards whether the file still is what it
// was when it was opened, and fails with Fault::changed where it is not. Fault::local where the disk fails.
// Several threads may read at once.
class ObjectFile {
 public:
  virtual ~ObjectFile() = default;

  // As it was when the file was opened.
  virtual const FileIdentity& identity() const = 0;

  // Reads what is in memory, without waiting for the disk; may be fewer bytes than `into` holds, at least one. Nothing
  // where the disk would have to be waited for, or where the file system can't tell.
  virtual std::optional<Result<std::size_t>> read_cached(std::uint64_t offset, std::span<std::byte> into) = 0;

  // Fills `into`, waiting for the disk however long that takes: only on a worker. Requires bytes within the size.
  virtual Result<void> read(std::uint64_t offset, std::span<std::byte> into) = 0;

  // Keeps everyone who would change the file waiting until `let_go`, so that its bytes may be sent straight from where
  // the file system has them. False where that can't be had: then they have to be copied.
  virtual bool hold_still() { return false; }
  virtual void let_go() {}
  // Whether someone waits to change it. The system tells that something is wanted by the signal kFileWanted.
  virtual bool is_wanted() const { return false; }

  // Hands bytes of a file that is held still to a socket, without a copy and without waiting; may be fewer than `most`,
  // and none where the socket is full. Nothing where the disk would have to be waited for.
  virtual std::optional<Result<std::size_t>> send_cached(int, std::uint64_t, std::size_t) { return std::nullopt; }
};

// Ignored where nobody listens for it, so that one that comes late does no harm.
inline constexpr int kFileWanted = SIGURG;

enum class EntryKind { file, folder };

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::file;
  bool is_symlink = false;  // `kind` and `identity` are then those of what it leads to, inside the root
  FileIdentity identity{};
};

struct Folder {
  std::vector<FolderEntry> entries;  // files and folders only, sorted by name
};

struct Absent {};

using Found = std::variant<Absent, std::shared_ptr<ObjectFile>, Folder>;

class FileTree {
 public:
  virtual ~FileTree() = default;
  // What is at `path`; may wait for the disk: only on a worker. Absent where nothing is there, where it is neither a
  // regular file nor a folder, where it may not be read, and where the way to it leads out of the root. Fault::local
  // where the system can't tell (no descriptors left, a failing disk).
  virtual Result<Found> open(const RelativePath& path) = 0;
  // The same without waiting; nothing where the disk would have to be waited for, or for a folder.
  virtual std::optional<Result<Found>> open_cached(const RelativePath&) { return std::nullopt; }
};

}  // namespace arkvory::server
