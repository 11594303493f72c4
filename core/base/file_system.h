// SPDX-License-Identifier: Apache-2.0
// The disk as a port. The real one is PosixFileSystem; its twin in tests is a disk that keeps, drops or tears what was
// not synced and fails where it is told to.
//
// Every failure is Fault::local, its words name the path and what was tried, its cause is the system's own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace arkvory {

// Access bits of a file: `shared` is 0666 less the umask, `owner_only` 0600.
enum class Access { shared, owner_only };

// An open file. `read_at` may be called from another thread beside `write_at` on other bytes; all else belongs to one
// thread. Closing is destruction; it releases the lock.
class File {
 public:
  virtual ~File() = default;

  // Fills `into` from `offset`; fewer bytes only at the end of the file. Returns how many.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  // Writes all of `bytes` or fails; after a failure nothing is known about these bytes.
  virtual Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  // Returns once everything written before is on disk. After a failure nothing since the last success counts as there.
  virtual Result<void> sync() = 0;
  virtual Result<std::uint64_t> size() = 0;
  virtual Result<void> truncate(std::uint64_t size) = 0;
  // Takes the exclusive advisory lock (flock) or tells that another open file has it: false.
  virtual Result<bool> try_lock() = 0;
  // Which file this is, whatever its names: to notice that a path has come to mean another one.
  virtual Result<std::string> identity() = 0;
  virtual Result<void> set_modified_time(WallTime time) = 0;
  virtual Result<void> set_access(Access access) = 0;
};

enum class FileKind { regular, folder, symlink, other };

struct FileStatus {
  FileKind kind = FileKind::regular;
  std::uint64_t size = 0;
  std::string identity;     // as File::identity
  std::uint64_t names = 1;  // how many the file has
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Opens a regular file for reading and writing, making an empty one where there is none. Never follows a symlink in
  // the last component. `access` is only for a new file.
  virtual Result<std::shared_ptr<File>> open_or_create(const std::filesystem::path& path, Access access) = 0;
  // Opens a regular file for reading only, or null where there is nothing at `path`. Follows symlinks: what a user names
  // (a token file, a finished file) may be one.
  virtual Result<std::shared_ptr<File>> open_to_read(const std::filesystem::path& path) = 0;

  // Puts `content` under `path` so that after any crash there is either the old or the new content, whole: written
  // aside (`aside_path`), synced, renamed, folder synced. New files are 0600. One writer per path at a time.
  virtual Result<void> replace_durably(const std::filesystem::path& path, std::span<const std::byte> content) = 0;

  // Renames within a file system, replacing what is there. The rename is durable after `sync_folder`.
  virtual Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // As `rename`, but replaces nothing: false where there is something at `to`.
  virtual Result<bool> rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual Result<void> remove(const std::filesystem::path& path) = 0;  // absent is success
  virtual Result<void> sync_folder(const std::filesystem::path& folder) = 0;

  // What is at `path`, without following a symlink in the last component; nothing where there is nothing.
  virtual Result<std::optional<FileStatus>> status(const std::filesystem::path& path) = 0;
  // Names in a folder, sorted; empty where there is no such folder.
  virtual Result<std::vector<std::string>> list(const std::filesystem::path& folder) = 0;
  // Makes a folder and those above it, 0700, durably; an existing one is success.
  virtual Result<void> make_folders(const std::filesystem::path& folder) = 0;
  // Bytes that this user may still write in the file system of `folder`.
  virtual Result<std::uint64_t> free_space(const std::filesystem::path& folder) = 0;
};

// Where `replace_durably` writes aside. A fixed name: what a crash leaves there is overwritten by the next replacement,
// so such leftovers never pile up, and whoever removes `path` for good removes this too.
std::filesystem::path aside_path(const std::filesystem::path& path);

// The whole content of a small file: nothing where there is none, Fault::local where it is larger than `limit`.
Result<std::optional<std::string>> read_whole(FileSystem& files, const std::filesystem::path& path, std::size_t limit);

// The machine's disk.
class PosixFileSystem final : public FileSystem {
 public:
  Result<std::shared_ptr<File>> open_or_create(const std::filesystem::path& path, Access access) override;
  Result<std::shared_ptr<File>> open_to_read(const std::filesystem::path& path) override;
  Result<void> replace_durably(const std::filesystem::path& path, std::span<const std::byte> content) override;
  Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Result<bool> rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Result<void> remove(const std::filesystem::path& path) override;
  Result<void> sync_folder(const std::filesystem::path& folder) override;
  Result<std::optional<FileStatus>> status(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> list(const std::filesystem::path& folder) override;
  Result<void> make_folders(const std::filesystem::path& folder) override;
  Result<std::uint64_t> free_space(const std::filesystem::path& folder) override;
};

}  // namespace arkvory
