// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>

#include "core/base/file_system.h"
#include "core/base/posix_file.h"
#include "core/base/system_failure.h"
#include "core/base/wide.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

// O_NONBLOCK: opening a FIFO never waits for its other end; it means nothing to a regular file.
constexpr int kOpenFlags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

bool is_absent(int code) { return code == ENOENT || code == ENOTDIR; }

tl::unexpected<Error> no_regular_file(std::string_view tried, const fs::path& path, mode_t mode) {
  const char* what = "a special file";
  if (S_ISDIR(mode)) what = "a folder";
  if (S_ISLNK(mode)) what = "a symbolic link";
  if (S_ISFIFO(mode)) what = "a FIFO";
  return fail(Fault::local, "cannot " + std::string(tried) + " " + path.string(), std::string("it is ") + what);
}

// Checked before opening, because to open a device can do something; and after it, because a path can come to mean
// another file in between.
Result<std::shared_ptr<File>> as_regular(Descriptor descriptor, const fs::path& path) {
  struct stat about {};
  if (::fstat(descriptor.number(), &about) != 0) return system_failure("examine", path, errno);
  if (!S_ISREG(about.st_mode)) return no_regular_file("open", path, about.st_mode);
  return make_posix_file(std::move(descriptor), path);
}

fs::path folder_of(const fs::path& path) {
  auto folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

Result<void> write_new(const fs::path& path, std::span<const std::byte> content) {
  // Removed first and made anew: what may lie there has another's mode or is a link to something of value.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure("replace", path, errno);
  Descriptor descriptor(uninterrupted(
      [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | kOpenFlags, S_IRUSR | S_IWUSR); }));
  if (!descriptor.is_open()) return system_failure("create", path, errno);
  auto file = make_posix_file(std::move(descriptor), path);
  if (auto written = file->write_at(0, content); !written) return pass_on(written.error());
  return file->sync();
}

Result<void> make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return system_failure("make the folder", folder, errno);
  return {};
}

}  // namespace

Result<std::shared_ptr<File>> PosixFileSystem::open_or_create(const fs::path& path, Access access) {
  const mode_t mode = access == Access::owner_only ? 0600 : 0666;
  // Mostly there is nothing yet, and what this call has made needs no examining.
  Descriptor made(
      uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | kOpenFlags, mode); }));
  if (made.is_open()) return make_posix_file(std::move(made), path);
  struct stat about {};
  if (::lstat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
    return no_regular_file("open", path, about.st_mode);
  Descriptor descriptor(
      uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | kOpenFlags, mode); }));
  if (!descriptor.is_open()) return system_failure("open", path, errno);
  return as_regular(std::move(descriptor), path);
}

Result<std::shared_ptr<File>> PosixFileSystem::open_to_read(const fs::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) {
    if (is_absent(errno)) return std::shared_ptr<File>();
    return system_failure("open", path, errno);
  }
  if (!S_ISREG(about.st_mode)) return no_regular_file("open", path, about.st_mode);
  Descriptor descriptor(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | kOpenFlags); }));
  if (!descriptor.is_open()) {
    if (is_absent(errno)) return std::shared_ptr<File>();
    return system_failure("open", path, errno);
  }
  return as_regular(std::move(descriptor), path);
}

Result<void> PosixFileSystem::replace_durably(const fs::path& path, std::span<const std::byte> content) {
  const auto aside = aside_path(path);
  auto done = write_new(aside, content);
  if (done) done = rename(aside, path);
  if (!done) {
    ::unlink(aside.c_str());
    return done;
  }
  return sync_folder(folder_of(path));
}

Result<void> PosixFileSystem::rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return system_failure("rename " + from.string() + " to", to, errno);
  return {};
}

Result<bool> PosixFileSystem::rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  const auto tried = "rename " + from.string() + " to";
  if (errno != EINVAL && errno != ENOSYS) return system_failure(tried, to, errno);
  // The file system or the kernel lacks the flag. A link replaces nothing either.
  if (::link(from.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST) return false;
    return system_failure(tried, to, errno);
  }
  if (::unlink(from.c_str()) != 0) return system_failure("remove", from, errno);
  return true;
}

Result<void> PosixFileSystem::remove(const fs::path& path) {
  if (::unlink(path.c_str()) != 0 && !is_absent(errno)) return system_failure("remove", path, errno);
  return {};
}

Result<void> PosixFileSystem::sync_folder(const fs::path& folder) {
  Descriptor descriptor(uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return system_failure("open the folder", folder, errno);
  if (uninterrupted([&] { return ::fsync(descriptor.number()); }) == 0) return {};
  // Some file systems (network and user-space ones) can't sync a folder and write it through anyway.
  if (errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS) return {};
  return system_failure("sync the folder", folder, errno);
}

Result<std::optional<FileStatus>> PosixFileSystem::status(const fs::path& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) {
    if (is_absent(errno)) return std::optional<FileStatus>();
    return system_failure("examine", path, errno);
  }
  FileStatus found;
  found.kind = S_ISREG(about.st_mode)   ? FileKind::regular
               : S_ISDIR(about.st_mode) ? FileKind::folder
               : S_ISLNK(about.st_mode) ? FileKind::symlink
                                        : FileKind::other;
  found.size = static_cast<std::uint64_t>(about.st_size);
  found.identity = identity_of(about);
  found.names = about.st_nlink;
  return std::optional<FileStatus>(std::move(found));
}

Result<std::vector<std::string>> PosixFileSystem::list(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (auto at = fs::directory_iterator(folder, problem); !problem && at != fs::directory_iterator();
       at.increment(problem))
    names.push_back(at->path().filename().string());
  if (problem == std::errc::no_such_file_or_directory) return names;
  if (problem) return system_failure("list the folder", folder, problem.value());
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> PosixFileSystem::make_folders(const fs::path& folder) {
  struct stat about {};
  if (::stat(folder.c_str(), &about) == 0) {
    if (S_ISDIR(about.st_mode)) return {};
    return system_failure("make the folder", folder, ENOTDIR);
  }
  if (errno != ENOENT) return system_failure("make the folder", folder, errno);
  const auto parent = folder_of(folder);
  if (parent == folder) return system_failure("make the folder", folder, ENOENT);
  if (auto above = make_folders(parent); !above) return above;
  if (auto made = make_folder(folder); !made) return made;
  return sync_folder(parent);
}

Result<std::uint64_t> PosixFileSystem::free_space(const fs::path& folder) {
  struct statvfs about {};
  if (uninterrupted([&] { return ::statvfs(folder.c_str(), &about); }) != 0)
    return system_failure("examine the file system of", folder, errno);
  const auto bytes = static_cast<Wide>(about.f_bavail) * about.f_frsize;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return bytes > most ? most : static_cast<std::uint64_t>(bytes);
}

}  // namespace arkvory
