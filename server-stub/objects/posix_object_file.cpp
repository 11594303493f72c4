// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/posix_object_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/size.h"

namespace arkvory::server {
namespace {

// How far apart bytes are looked at to tell whether what lies between is in memory. The kernel fills and drops the page
// cache in longer runs; where one page in between is missing all the same, that is one read of the disk.
constexpr std::uint64_t kProbeStep = 64 * kKiB;

class PosixObjectFile final : public ObjectFile {
 public:
  PosixObjectFile(Descriptor descriptor, const FileIdentity& identity)
      : descriptor_(std::move(descriptor)), identity_(identity) {}

  const FileIdentity& identity() const override { return identity_; }

  std::optional<Result<std::size_t>> read_cached(std::uint64_t offset, std::span<std::byte> into) override {
    const auto known = cache();
    if (known == Cache::unknown) return std::nullopt;
    const iovec piece{into.data(), into.size()};
    const auto count =
        preadv2(descriptor_.number(), &piece, 1, static_cast<off_t>(offset), known == Cache::all ? 0 : RWF_NOWAIT);
    if (count < 0 && errno == EOPNOTSUPP) cache_.store(Cache::unknown, std::memory_order_relaxed);
    if (count < 0) return std::nullopt;
    auto unchanged = check_unchanged();
    if (!unchanged) return Result<std::size_t>(pass_on(unchanged.error()));
    if (count == 0) return std::nullopt;
    return Result<std::size_t>(static_cast<std::size_t>(count));
  }

  Result<void> read(std::uint64_t offset, std::span<std::byte> into) override {
    while (!into.empty()) {
      const auto count = pread(descriptor_.number(), into.data(), into.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(Fault::local, "a file can't be read", std::strerror(errno));
      if (count == 0) return fail(Fault::changed, "the file became shorter while it was read");
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return check_unchanged();
  }

  // A lease to read: the kernel lets nobody open the file for writing, or cut it, before we have given the lease back
  // or its patience is over (45 s; fcntl(2), /proc/sys/fs/lease-break-time). It is for the file's owner and for who has
  // CAP_LEASE, and not to be had while someone has the file open for writing.
  bool hold_still() override {
    const int file = descriptor_.number();
    if (fcntl(file, F_SETSIG, kFileWanted) != 0 || fcntl(file, F_SETLEASE, F_RDLCK) != 0) return false;
    if (check_unchanged()) return true;
    let_go();
    return false;
  }
  void let_go() override { fcntl(descriptor_.number(), F_SETLEASE, F_UNLCK); }
  bool is_wanted() const override { return fcntl(descriptor_.number(), F_GETLEASE) != F_RDLCK; }

  std::optional<Result<std::size_t>> send_cached(int socket, std::uint64_t offset, std::size_t most) override {
    const auto length = in_memory(offset, most);
    if (length == 0) return std::nullopt;
    auto at = static_cast<off_t>(offset);
    const auto count = sendfile(socket, descriptor_.number(), &at, length);
    if (count > 0) return Result<std::size_t>(static_cast<std::size_t>(count));
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Result<std::size_t>(0U);
    if (count < 0 && (errno == EINVAL || errno == ENOSYS)) return std::nullopt;
    return Result<std::size_t>(fail(Fault::network, "a client can't be sent more", std::strerror(errno)));
  }

 private:
  enum class Cache { unasked, part, all, unknown };

  // Of tmpfs all is in memory. Network file systems can't say; the first read finds that out.
  Cache cache() {
    auto known = cache_.load(std::memory_order_relaxed);
    if (known != Cache::unasked) return known;
    struct statfs system {};
    known = fstatfs(descriptor_.number(), &system) == 0 && system.f_type == TMPFS_MAGIC ? Cache::all : Cache::part;
    cache_.store(known, std::memory_order_relaxed);
    return known;
  }

  // How many of these bytes are in memory, from the first on, as far as samples tell.
  std::size_t in_memory(std::uint64_t offset, std::size_t length) {
    const auto known = cache();
    if (known != Cache::part) return known == Cache::all ? length : 0;
    for (std::uint64_t at = 0; at < length; at += kProbeStep)
      if (!is_in_memory(offset + at)) return static_cast<std::size_t>(at);
    return is_in_memory(offset + length - 1) ? length : length / kProbeStep * kProbeStep;
  }
  bool is_in_memory(std::uint64_t offset) const {
    std::byte sample;
    const iovec piece{&sample, 1};
    return preadv2(descriptor_.number(), &piece, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
  }

  // Asked after the bytes were copied: a write sets the times before it changes the first byte.
  Result<void> check_unchanged() const {
    struct stat status {};
    if (fstat(descriptor_.number(), &status) != 0)
      return fail(Fault::local, "a file can't be read", std::strerror(errno));
    if (FileIdentity::of(status) != identity_) return fail(Fault::changed, "the file changed while it was read");
    return {};
  }

  Descriptor descriptor_;
  FileIdentity identity_;
  std::atomic<Cache> cache_{Cache::unasked};
};

}  // namespace

std::shared_ptr<ObjectFile> open_object(Descriptor descriptor, const FileIdentity& identity) {
  return std::make_shared<PosixObjectFile>(std::move(descriptor), identity);
}

}  // namespace arkvory::server
