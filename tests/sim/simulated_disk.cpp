// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/simulated_disk.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <set>

#include "core/base/ensure.h"
#include "core/base/interval_set.h"
#include "core/base/system_failure.h"

namespace arkvory::sim {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kLargestFile = 8ULL << 30U;

struct Inode {
  std::uint64_t number = 0;
  FileKind kind = FileKind::regular;
  Access access = Access::shared;
  std::optional<WallTime> modified{};
  std::string current;              // as programs see it
  std::string durable;              // as a power cut may leave it at worst
  std::vector<ByteRange> unsynced;  // writes since the last sync, in order
  IntervalSet allocated;
  const void* lock_holder = nullptr;
};

using InodePtr = std::shared_ptr<Inode>;

// One changed folder entry; those with the same `operation` belong to one rename.
struct EntryChange {
  std::uint64_t operation = 0;
  fs::path path;
  InodePtr now;  // null: gone
};

using Entries = std::map<fs::path, InodePtr>;

void enter(Entries& entries, const EntryChange& change) {
  if (change.now == nullptr) {
    entries.erase(change.path);
  } else {
    entries[change.path] = change.now;
  }
}

void copy_piece(std::string& into, const std::string& from, const ByteRange& piece) {
  const auto end = std::min<std::uint64_t>({piece.end(), from.size(), into.size()});
  if (piece.begin() >= end) return;
  const auto at = static_cast<std::ptrdiff_t>(piece.begin());
  std::copy(from.begin() + at, from.begin() + static_cast<std::ptrdiff_t>(end), into.begin() + at);
}

void make_durable(Inode& inode) {
  inode.durable.resize(inode.current.size());
  for (const auto& range : inode.unsynced) copy_piece(inode.durable, inode.current, range);
  inode.unsynced.clear();
}

// Which pieces of the unsynced writes arrive: all, none, the first few writes, or any sectors.
std::vector<ByteRange> arriving_pieces(const std::vector<ByteRange>& writes, Rng& rng) {
  std::vector<ByteRange> pieces;
  switch (rng.below(4)) {
    case 0: return writes;
    case 1: return pieces;
    case 2:
      pieces.assign(writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(rng.below(writes.size() + 1)));
      return pieces;
    default: break;
  }
  const auto percent = static_cast<unsigned>(10 + rng.below(81));
  for (const auto& write : writes) {
    for (auto at = write.begin(); at < write.end();) {
      const auto end = std::min(write.end(), (at / kSector + 1) * kSector);
      if (rng.chance(percent)) pieces.emplace_back(at, end);
      at = end;
    }
  }
  return pieces;
}

void tear(Inode& inode, Rng& rng) {
  const auto pieces = arriving_pieces(inode.unsynced, rng);
  const auto old_size = inode.durable.size();
  std::uint64_t arrived_end = old_size;
  for (const auto& piece : pieces) arrived_end = std::max(arrived_end, std::min(piece.end(), inode.current.size()));
  const std::uint64_t sizes[] = {old_size, inode.current.size(), arrived_end};
  inode.durable.resize(std::max(old_size, inode.current.size()));
  for (const auto& piece : pieces) copy_piece(inode.durable, inode.current, piece);
  inode.durable.resize(sizes[rng.below(3)]);
}

void cut_power(Inode& inode, Rng& rng, CrashMode mode) {
  if (mode == CrashMode::keep) inode.durable = inode.current;
  if (mode == CrashMode::tear) tear(inode, rng);
  inode.current = inode.durable;
  inode.unsynced.clear();
}

}  // namespace

struct SimulatedDisk::State {
  mutable std::recursive_mutex mutex;  // a digest worker may read beside the test's thread
  Entries entries;
  Entries durable_entries;
  std::vector<EntryChange> changes;  // unsynced, in order
  std::set<fs::path> folders{"/"};
  std::function<int(const DiskOperation&)> hook;
  std::uint64_t operations = 0;
  std::optional<std::uint64_t> stop;
  bool stopped = false;
  std::uint64_t life = 0;  // counts processes: open files of an earlier one are dead
  std::uint64_t free_space = 1ULL << 40U;
  std::uint64_t last_inode = 0;
  fs::path last_renamed_from;
  fs::path last_renamed_to;

  // To be called first by each operation: the errno value it is to fail with, or 0.
  int before(DiskAction action, const fs::path& path) {
    if (stopped) return EIO;
    const auto number = ++operations;
    try {
      if (stop == number) throw Stopped{number};
      return hook ? hook(DiskOperation{number, action, path}) : 0;
    } catch (const Stopped&) {
      stopped = true;
      throw;
    }
  }

  InodePtr find(const fs::path& path) const {
    const auto found = entries.find(path);
    return found == entries.end() ? nullptr : found->second;
  }

  bool is_folder(const fs::path& path) const { return folders.contains(path); }

  InodePtr make_inode(Access access) {
    auto inode = std::make_shared<Inode>();
    inode->number = ++last_inode;
    inode->access = access;
    return inode;
  }

  void change(const fs::path& path, InodePtr now) {
    give_back_space(find(path), path);
    changes.push_back({operations, path, now});
    enter(entries, changes.back());
  }

  // Space is free again when the last name goes.
  void give_back_space(const InodePtr& inode, const fs::path& leaving) {
    if (inode == nullptr) return;
    for (const auto& [path, other] : entries)
      if (other == inode && path != leaving) return;
    free_space += inode->allocated.total();
  }

  int move(const fs::path& from, const fs::path& to) {
    auto inode = find(from);
    if (inode == nullptr || !is_folder(to.parent_path())) return ENOENT;
    if (is_folder(to)) return EISDIR;
    if (from == to) return 0;
    last_renamed_from = from;
    last_renamed_to = to;
    change(to, inode);
    changes.push_back({operations, from, nullptr});
    enter(entries, changes.back());
    return 0;
  }

  void sync_entries(const fs::path& folder) {
    if (last_renamed_to.parent_path() == folder) last_renamed_to.clear();
    std::erase_if(changes, [&](const EntryChange& change) {
      if (change.path.parent_path() != folder) return false;
      enter(durable_entries, change);
      return true;
    });
  }

  // Which unsynced entry changes arrive: all, none, the first few operations, or any.
  void cut_power_on_folders(Rng& rng, CrashMode mode) {
    const auto style = mode == CrashMode::keep ? 0 : mode == CrashMode::drop ? 1 : rng.below(4);
    std::vector<std::uint64_t> numbers;
    for (const auto& change : changes)
      if (numbers.empty() || numbers.back() != change.operation) numbers.push_back(change.operation);
    std::set<std::uint64_t> arriving;
    const auto first_few = style == 0 ? numbers.size() : style == 2 ? rng.below(numbers.size() + 1) : 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (i < first_few || (style == 3 && rng.chance(50))) arriving.insert(numbers[i]);
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!arriving.contains(changes[i].operation)) continue;
      const bool is_old_name = i > 0 && changes[i - 1].operation == changes[i].operation;
      if (is_old_name && style == 3 && rng.chance(12)) continue;
      enter(durable_entries, changes[i]);
    }
    changes.clear();
    entries = durable_entries;
  }

  void end_process() {
    ++life;
    stopped = false;
    stop.reset();
    for (auto& [path, inode] : entries) inode->lock_holder = nullptr;
  }
};

namespace {

class SimulatedFile final : public File {
 public:
  SimulatedFile(std::shared_ptr<SimulatedDisk::State> disk, InodePtr inode, fs::path path, bool writable)
      : disk_(std::move(disk)),
        inode_(std::move(inode)),
        path_(std::move(path)),
        writable_(writable),
        life_(disk_->life) {}

  ~SimulatedFile() override {
    const std::lock_guard guard(disk_->mutex);
    if (inode_->lock_holder == this) inode_->lock_holder = nullptr;
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::read)) return system_failure("read", path_, code);
    if (offset >= inode_->current.size()) return 0;
    const auto count = std::min<std::uint64_t>(into.size(), inode_->current.size() - offset);
    const auto source = std::as_bytes(std::span(inode_->current)).subspan(offset, count);
    std::copy(source.begin(), source.end(), into.begin());
    return count;
  }

  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const std::lock_guard guard(disk_->mutex);
    int code = before(DiskAction::write);
    if (code == 0 && !writable_) code = EBADF;
    if (code == 0 && (offset > kLargestFile || bytes.size() > kLargestFile - offset)) code = EFBIG;
    if (code == 0) code = write(offset, bytes);
    // A write fails at any point: the first half of it is there.
    if ((code == EIO || code == EDQUOT) && is_alive()) (void)write(offset, bytes.first(bytes.size() / 2));
    if (code != 0) return system_failure("write", path_, code);
    return {};
  }

  Result<void> sync() override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::sync)) {
      // The system forgets that these bytes were ever to be written.
      if (is_alive()) inode_->unsynced.clear();
      return system_failure("sync", path_, code);
    }
    make_durable(*inode_);
    return {};
  }

  Result<std::uint64_t> size() override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::examine)) return system_failure("examine", path_, code);
    return inode_->current.size();
  }

  Result<void> truncate(std::uint64_t size) override {
    const std::lock_guard guard(disk_->mutex);
    int code = before(DiskAction::truncate);
    if (code == 0 && !writable_) code = EINVAL;
    if (code == 0 && size > kLargestFile) code = EFBIG;
    if (code != 0) return system_failure("set the size of", path_, code);
    const auto old_size = inode_->current.size();
    if (auto cut = ByteRange::make(size, old_size)) {
      inode_->unsynced.push_back(*cut);
      disk_->free_space += inode_->allocated.within(*cut).total();
      inode_->allocated.remove(*cut);
    }
    inode_->current.resize(size);
    return {};
  }

  Result<bool> try_lock() override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::lock)) return system_failure("lock", path_, code);
    if (inode_->lock_holder != nullptr && inode_->lock_holder != this) return false;
    inode_->lock_holder = this;
    return true;
  }

  Result<std::string> identity() override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::examine)) return system_failure("examine", path_, code);
    return "1:" + std::to_string(inode_->number);
  }

  Result<void> set_modified_time(WallTime time) override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::set_attributes)) return system_failure("set the time of", path_, code);
    inode_->modified = time;
    return {};
  }

  Result<void> set_access(Access access) override {
    const std::lock_guard guard(disk_->mutex);
    if (const int code = before(DiskAction::set_attributes)) return system_failure("set the access of", path_, code);
    inode_->access = access;
    return {};
  }

 private:
  int before(DiskAction action) {
    const int code = disk_->before(action, path_);
    return life_ == disk_->life ? code : EIO;
  }

  bool is_alive() const { return life_ == disk_->life && !disk_->stopped; }

  int write(std::uint64_t offset, std::span<const std::byte> bytes) {
    const auto range = ByteRange::make(offset, offset + bytes.size());
    if (!range) return 0;
    const auto needed = range->length() - inode_->allocated.within(*range).total();
    if (needed > disk_->free_space) return ENOSPC;
    disk_->free_space -= needed;
    inode_->allocated.add(*range);
    if (inode_->current.size() < range->end()) inode_->current.resize(range->end());
    const auto into = std::as_writable_bytes(std::span(inode_->current));
    std::copy(bytes.begin(), bytes.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
    inode_->unsynced.push_back(*range);
    return 0;
  }

  std::shared_ptr<SimulatedDisk::State> disk_;
  InodePtr inode_;
  fs::path path_;
  bool writable_;
  std::uint64_t life_;
};

tl::unexpected<Error> no_regular_file(const fs::path& path, const char* what) {
  return fail(Fault::local, "cannot open " + path.string(), std::string("it is ") + what);
}

const char* kind_name(FileKind kind) { return kind == FileKind::symlink ? "a symbolic link" : "a special file"; }

}  // namespace

SimulatedDisk::SimulatedDisk(const fs::path& folder) : state_(std::make_shared<State>()) {
  for (auto path = folder; path != path.parent_path(); path = path.parent_path()) state_->folders.insert(path);
}

Result<std::shared_ptr<File>> SimulatedDisk::open_or_create(const fs::path& path, Access access) {
  const std::lock_guard guard(state_->mutex);
  if (const int code = state_->before(DiskAction::open, path)) return system_failure("open", path, code);
  if (state_->is_folder(path)) return no_regular_file(path, "a folder");
  auto inode = state_->find(path);
  if (inode != nullptr && inode->kind != FileKind::regular) return no_regular_file(path, kind_name(inode->kind));
  if (inode == nullptr) {
    if (!state_->is_folder(path.parent_path())) return system_failure("open", path, ENOENT);
    inode = state_->make_inode(access);
    state_->change(path, inode);
  }
  return std::make_shared<SimulatedFile>(state_, inode, path, true);
}

Result<std::shared_ptr<File>> SimulatedDisk::open_to_read(const fs::path& path) {
  const std::lock_guard guard(state_->mutex);
  if (const int code = state_->before(DiskAction::open, path)) return system_failure("open", path, code);
  if (state_->is_folder(path)) return no_regular_file(path, "a folder");
  const auto inode = state_->find(path);
  // A symlink here leads nowhere.
  if (inode == nullptr || inode->kind == FileKind::symlink) return std::shared_ptr<File>();
  if (inode->kind != FileKind::regular) return no_regular_file(path, kind_name(inode->kind));
  return std::make_shared<SimulatedFile>(state_, inode, path, false);
}

Result<void> SimulatedDisk::replace_durably(const fs::path& path, std::span<const std::byte> content) {
  const std::lock_guard guard(state_->mutex);
  const auto aside = aside_path(path);
  const auto write_aside = [&]() -> Result<void> {
    if (auto removed = remove(aside); !removed) return removed;
    auto file = open_or_create(aside, Access::owner_only);
    if (!file) return pass_on(file.error());
    if (auto written = (*file)->write_at(0, content); !written) return written;
    if (auto synced = (*file)->sync(); !synced) return synced;
    return rename(aside, path);
  };
  if (auto done = write_aside(); !done) {
    (void)remove(aside);
    return done;
  }
  return sync_folder(path.parent_path());
}

Result<void> SimulatedDisk::rename(const fs::path& from, const fs::path& to) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::rename, to);
  if (code == 0) code = state_->move(from, to);
  if (code != 0) return system_failure("rename " + from.string() + " to", to, code);
  return {};
}

Result<bool> SimulatedDisk::rename_to_new(const fs::path& from, const fs::path& to) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::rename, to);
  if (code == 0 && (state_->find(to) != nullptr || state_->is_folder(to))) return false;
  if (code == 0) code = state_->move(from, to);
  if (code != 0) return system_failure("rename " + from.string() + " to", to, code);
  return true;
}

Result<void> SimulatedDisk::remove(const fs::path& path) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::remove, path);
  if (code == 0 && state_->is_folder(path)) code = EISDIR;
  if (code != 0) return system_failure("remove", path, code);
  if (state_->find(path) != nullptr) state_->change(path, nullptr);
  return {};
}

Result<void> SimulatedDisk::sync_folder(const fs::path& folder) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::sync_folder, folder);
  if (code == 0 && !state_->is_folder(folder)) code = ENOENT;
  if (code != 0) return system_failure("sync the folder", folder, code);
  state_->sync_entries(folder);
  return {};
}

Result<std::optional<FileStatus>> SimulatedDisk::status(const fs::path& path) {
  const std::lock_guard guard(state_->mutex);
  if (const int code = state_->before(DiskAction::examine, path)) return system_failure("examine", path, code);
  if (state_->is_folder(path)) return FileStatus{FileKind::folder, 0, "1:folder:" + path.string(), 1};
  const auto inode = state_->find(path);
  if (inode == nullptr) return std::optional<FileStatus>();
  const auto names = std::ranges::count_if(state_->entries, [&](const auto& entry) { return entry.second == inode; });
  return FileStatus{inode->kind, inode->current.size(), "1:" + std::to_string(inode->number),
                    static_cast<std::uint64_t>(names)};
}

Result<std::vector<std::string>> SimulatedDisk::list(const fs::path& folder) {
  const std::lock_guard guard(state_->mutex);
  if (const int code = state_->before(DiskAction::examine, folder))
    return system_failure("list the folder", folder, code);
  std::vector<std::string> names;
  for (const auto& [path, inode] : state_->entries)
    if (path.parent_path() == folder) names.push_back(path.filename().string());
  for (const auto& path : state_->folders)
    if (path.parent_path() == folder && path != folder) names.push_back(path.filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> SimulatedDisk::make_folders(const fs::path& folder) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::make_folder, folder);
  for (auto path = folder; code == 0 && path != path.parent_path(); path = path.parent_path())
    if (state_->find(path) != nullptr) code = ENOTDIR;
  if (code != 0) return system_failure("make the folder", folder, code);
  for (auto path = folder; path != path.parent_path(); path = path.parent_path()) state_->folders.insert(path);
  return {};
}

Result<std::uint64_t> SimulatedDisk::free_space(const fs::path& folder) {
  const std::lock_guard guard(state_->mutex);
  int code = state_->before(DiskAction::examine, folder);
  if (code == 0 && !state_->is_folder(folder)) code = ENOENT;
  if (code != 0) return system_failure("examine the file system of", folder, code);
  return state_->free_space;
}

void SimulatedDisk::on_operation(std::function<int(const DiskOperation&)> hook) { state_->hook = std::move(hook); }

void SimulatedDisk::stop_at(std::uint64_t number) { state_->stop = number; }

bool SimulatedDisk::is_stopped() const { return state_->stopped; }

std::uint64_t SimulatedDisk::operations() const { return state_->operations; }

void SimulatedDisk::kill() {
  const std::lock_guard guard(state_->mutex);
  state_->end_process();
}

bool SimulatedDisk::keep_old_name() {
  const std::lock_guard guard(state_->mutex);
  const auto inode = state_->find(state_->last_renamed_to);
  if (inode == nullptr || state_->find(state_->last_renamed_from) != nullptr) return false;
  state_->entries[state_->last_renamed_from] = state_->durable_entries[state_->last_renamed_from] = inode;
  return true;
}

void SimulatedDisk::crash(Rng& rng, CrashMode mode) {
  const std::lock_guard guard(state_->mutex);
  state_->end_process();
  state_->cut_power_on_folders(rng, mode);
  std::set<std::uint64_t> seen;  // a file may have two names
  for (auto& [path, inode] : state_->entries) {
    inode->lock_holder = nullptr;
    if (seen.insert(inode->number).second) cut_power(*inode, rng, mode);
  }
}

void SimulatedDisk::set_free_space(std::uint64_t bytes) { state_->free_space = bytes; }

void SimulatedDisk::put(const fs::path& path, std::string_view content) {
  const std::lock_guard guard(state_->mutex);
  auto inode = state_->make_inode(Access::shared);
  inode->current = content;
  inode->durable = content;
  std::erase_if(state_->changes, [&](const EntryChange& change) { return change.path == path; });
  state_->entries[path] = inode;
  state_->durable_entries[path] = inode;
}

void SimulatedDisk::put_other(const fs::path& path, FileKind kind) {
  ensure(kind == FileKind::symlink || kind == FileKind::other, "folders are made by make_folders, files by put");
  put(path, "");
  state_->find(path)->kind = kind;
}

std::optional<std::string> SimulatedDisk::content(const fs::path& path) const {
  const std::lock_guard guard(state_->mutex);
  const auto inode = state_->find(path);
  return inode == nullptr ? std::nullopt : std::optional(inode->current);
}

std::optional<Access> SimulatedDisk::access(const fs::path& path) const {
  const std::lock_guard guard(state_->mutex);
  const auto inode = state_->find(path);
  return inode == nullptr ? std::nullopt : std::optional(inode->access);
}

std::optional<WallTime> SimulatedDisk::modified_time(const fs::path& path) const {
  const std::lock_guard guard(state_->mutex);
  const auto inode = state_->find(path);
  return inode == nullptr ? std::nullopt : inode->modified;
}

std::vector<fs::path> SimulatedDisk::paths() const {
  const std::lock_guard guard(state_->mutex);
  std::vector<fs::path> found;
  for (const auto& [path, inode] : state_->entries) found.push_back(path);
  return found;
}

}  // namespace arkvory::sim
