// SPDX-License-Identifier: Apache-2.0
// The disk's twin: keeps, drops or tears what was not synced, fails where it is told to, and can stop a run at any
// file operation.
//
// What a power cut may do, as POSIX allows it (harsher than any one file system):
// - file data: each sector (512 bytes) written since the last good sync of its file is old or new, in any combination;
//   a grown file has its old or its new size, zeros where nothing arrived;
// - folder entries: each creation, rename and removal since the last sync of its folder is done or not, in any
//   combination; a rename never loses the file, but may leave it under both names. Syncing a file leaves its entry
//   unsynced;
// - a failed sync: what was written before it never becomes durable through a later sync, though it still reads back.
// Overlapping unsynced writes of one sector are seen as the last one. Folders are durable when made.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_system.h"
#include "core/base/rng.h"

namespace arkvory::sim {

enum class DiskAction {
  open,
  read,
  write,
  sync,
  examine,  // size, identity, status, list, free space
  truncate,
  lock,
  set_attributes,
  rename,
  remove,
  sync_folder,
  make_folder,
};

struct DiskOperation {
  std::uint64_t number = 0;  // 1 is the first since the disk was made
  DiskAction action = DiskAction::open;
  std::filesystem::path path{};  // of a rename: the new one
};

// Thrown by the operation at which a run is to stop, through the code under test, to the test. From then on every
// operation fails without effect, so that destructors on the way can't do what a dead process could not.
struct Stopped {
  std::uint64_t operation = 0;
};

enum class CrashMode { keep, drop, tear };

class SimulatedDisk final : public FileSystem {
 public:
  // A disk with the given folder on it.
  explicit SimulatedDisk(const std::filesystem::path& folder = "/home");

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

  // Called before each operation: 0 lets it happen, an errno value (ENOSPC, EDQUOT, EROFS, EIO, …) makes it fail; it
  // may throw Stopped. `replace_durably` is six operations. An empty function takes the hook away.
  void on_operation(std::function<int(const DiskOperation&)> hook);
  // The operation with this number, counted as in DiskOperation, is not done any more: Stopped.
  void stop_at(std::uint64_t number);
  bool is_stopped() const;
  std::uint64_t operations() const;  // so far

  // The process dies: its open files and locks go, everything written stays for the next one.
  void kill();
  // After `crash` with CrashMode::keep: what was renamed last, if that was not synced, has its old name as well.
  // Whether there is one.
  bool keep_old_name();
  // The power goes: as `kill`, and what was not synced is kept, dropped or torn.
  void crash(Rng& rng, CrashMode mode);

  void set_free_space(std::uint64_t bytes);

  // For tests, not counted as operations and durable at once.
  void put(const std::filesystem::path& path, std::string_view content);
  void put_other(const std::filesystem::path& path, FileKind kind);  // a symlink or a special file
  std::optional<std::string> content(const std::filesystem::path& path) const;
  std::optional<Access> access(const std::filesystem::path& path) const;
  std::optional<WallTime> modified_time(const std::filesystem::path& path) const;
  std::vector<std::filesystem::path> paths() const;  // of all files, sorted

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace arkvory::sim
