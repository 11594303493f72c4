// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/root_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/descriptor.h"
#include "server-stub/objects/posix_object_file.h"

namespace arkvory::server {
namespace {

// O_NONBLOCK, so that a FIFO does not hold the worker until someone writes to it.
constexpr int kOpenFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

// A rename elsewhere in the tree makes the kernel give up a walk with EAGAIN; it is then walked anew.
constexpr int kWalks = 16;

Descriptor open_by_kernel(int root, const std::string& path, std::uint64_t more = 0) {
  open_how how{};
  how.flags = kOpenFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more;
  for (int walk = 0; walk < kWalks; ++walk) {
    const long number = syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (number >= 0 || more != 0 || (errno != EAGAIN && errno != EINTR)) return Descriptor(static_cast<int>(number));
  }
  return Descriptor();
}

Descriptor open_by_component(int root, const std::string& path) {
  Descriptor folder;
  std::string_view rest = path;
  for (;;) {
    const auto slash = rest.find('/');
    const std::string name(rest.substr(0, slash));
    const int from = folder.is_open() ? folder.number() : root;
    if (slash == std::string_view::npos) return Descriptor(openat(from, name.c_str(), kOpenFlags | O_NOFOLLOW));
    folder = Descriptor(openat(from, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return Descriptor();
    rest.remove_prefix(slash + 1);
  }
}

Descriptor open_beneath(int root, const std::string& path, Confinement confinement) {
  const std::string& from_root = path.empty() ? std::string(".") : path;
  return confinement == Confinement::by_kernel ? open_by_kernel(root, from_root) : open_by_component(root, from_root);
}

// The system's word that there is nothing here for anyone; all else is a failure to be told.
bool means_absent(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case EXDEV:  // the way leads out of the root
    case ENAMETOOLONG:
    case EACCES:
    case EPERM:
    case ENXIO:  // a socket, or a device without a driver
    case ENODEV: return true;
    default: return false;
  }
}

struct CloseFolder {
  void operator()(DIR* stream) const { closedir(stream); }
};

// What an entry is, or nothing where it is not to be shown.
std::optional<FolderEntry> entry_of(int root, int folder, const RelativePath& path, const char* name,
                                    Confinement confinement) {
  struct stat status {};
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  FolderEntry entry;
  entry.name = name;
  entry.is_symlink = S_ISLNK(status.st_mode);
  if (entry.is_symlink) {
    const auto target = open_beneath(root, path.child(name).text(), confinement);
    if (!target.is_open() || fstat(target.number(), &status) != 0) return std::nullopt;
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
  entry.kind = S_ISDIR(status.st_mode) ? EntryKind::folder : EntryKind::file;
  entry.identity = FileIdentity::of(status);
  return entry;
}

Result<Found> list(int root, Descriptor folder, const RelativePath& path, Confinement confinement) {
  const int number = folder.number();
  const std::unique_ptr<DIR, CloseFolder> stream(fdopendir(number));
  if (!stream) return fail(Fault::local, "a folder can't be listed", std::strerror(errno));
  folder.release();
  Folder found;
  for (;;) {
    errno = 0;
    const auto* item = readdir(stream.get());
    if (item == nullptr && errno != 0) return fail(Fault::local, "a folder can't be listed", std::strerror(errno));
    if (item == nullptr) break;
    const std::string_view name = item->d_name;
    if (name == "." || name == ".." || name.find_first_of("\r\n") != std::string_view::npos) continue;
    if (auto entry = entry_of(root, number, path, item->d_name, confinement))
      found.entries.push_back(std::move(*entry));
  }
  std::sort(found.entries.begin(), found.entries.end(),
            [](const FolderEntry& left, const FolderEntry& right) { return left.name < right.name; });
  return Found(std::move(found));
}

Found file_of(Descriptor descriptor, const struct stat& status, const RelativePath& path) {
  if (!S_ISREG(status.st_mode) || path.means_folder()) return Absent{};
  return open_object(std::move(descriptor), FileIdentity::of(status));
}

bool kernel_can_confine(int root) { return open_by_kernel(root, ".").is_open(); }

}  // namespace

Result<std::unique_ptr<RootFolder>> RootFolder::open_root(const std::filesystem::path& folder) {
  auto root = open_root(folder, Confinement::by_component);
  if (root && kernel_can_confine((*root)->descriptor_)) (*root)->confinement_ = Confinement::by_kernel;
  return root;
}

Result<std::unique_ptr<RootFolder>> RootFolder::open_root(const std::filesystem::path& folder,
                                                          Confinement confinement) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open())
    return fail(Fault::local, "can't serve the root folder " + folder.string(), std::strerror(errno));
  return std::unique_ptr<RootFolder>(new RootFolder(descriptor.release(), confinement));
}

RootFolder::~RootFolder() { close(descriptor_); }

Result<Found> RootFolder::open(const RelativePath& path) {
  auto descriptor = open_beneath(descriptor_, path.text(), confinement_);
  if (!descriptor.is_open() && means_absent(errno)) return Found(Absent{});
  if (!descriptor.is_open()) return fail(Fault::local, "a file can't be opened", std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor.number(), &status) != 0)
    return fail(Fault::local, "a file can't be opened", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return list(descriptor_, std::move(descriptor), path, confinement_);
  return file_of(std::move(descriptor), status, path);
}

// Where the way is not in memory (RESOLVE_CACHED, openat2(2)), and for whatever is odd, the answer is another's.
std::optional<Result<Found>> RootFolder::open_cached(const RelativePath& path) {
  if (confinement_ != Confinement::by_kernel || !may_ask_cache_.load(std::memory_order_relaxed) || path.text().empty())
    return std::nullopt;
  auto descriptor = open_by_kernel(descriptor_, path.text(), RESOLVE_CACHED);
  if (!descriptor.is_open() && errno == EINVAL) may_ask_cache_.store(false, std::memory_order_relaxed);
  struct stat status {};
  if (!descriptor.is_open() || fstat(descriptor.number(), &status) != 0 || S_ISDIR(status.st_mode)) return std::nullopt;
  return Result<Found>(file_of(std::move(descriptor), status, path));
}

}  // namespace arkvory::server
