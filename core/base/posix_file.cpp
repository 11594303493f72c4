// SPDX-License-Identifier: Apache-2.0
#include "core/base/posix_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <limits>

#include "core/base/system_failure.h"

namespace arkvory {

namespace {

// off_t is signed: offsets above its end would wrap into negative ones.
bool fits_file(std::uint64_t offset, std::uint64_t length) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  return offset <= most && length <= most - offset;
}

// The system tells the umask only by setting it. For the moment in between, a file made by another thread could only
// become less accessible.
mode_t current_umask() {
  const auto mask = ::umask(S_IRWXG | S_IRWXO);
  ::umask(mask);
  return mask;
}

class PosixFile final : public File {
 public:
  PosixFile(Descriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (!fits_file(offset, into.size())) return 0;
    std::size_t done = 0;
    while (done < into.size()) {
      const auto count = uninterrupted([&] {
        return ::pread(descriptor_.number(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      });
      if (count < 0) return system_failure("read", path_, errno);
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!fits_file(offset, bytes.size())) return system_failure("write", path_, EFBIG);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto count = uninterrupted([&] {
        return ::pwrite(descriptor_.number(), bytes.data() + done, bytes.size() - done,
                        static_cast<off_t>(offset + done));
      });
      if (count < 0) return system_failure("write", path_, errno);
      // A write of nothing without an error would go on for ever.
      if (count == 0) return system_failure("write", path_, EIO);
      done += static_cast<std::size_t>(count);
    }
    return {};
  }

  Result<void> sync() override {
    // fdatasync writes the size too where it is needed to find the data.
    if (uninterrupted([&] { return ::fdatasync(descriptor_.number()); }) != 0)
      return system_failure("sync", path_, errno);
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat about {};
    if (::fstat(descriptor_.number(), &about) != 0) return system_failure("examine", path_, errno);
    return static_cast<std::uint64_t>(about.st_size);
  }

  Result<void> truncate(std::uint64_t size) override {
    if (!fits_file(size, 0)) return system_failure("set the size of", path_, EFBIG);
    if (uninterrupted([&] { return ::ftruncate(descriptor_.number(), static_cast<off_t>(size)); }) != 0)
      return system_failure("set the size of", path_, errno);
    return {};
  }

  Result<bool> try_lock() override {
    if (uninterrupted([&] { return ::flock(descriptor_.number(), LOCK_EX | LOCK_NB); }) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return system_failure("lock", path_, errno);
  }

  Result<std::string> identity() override {
    struct stat about {};
    if (::fstat(descriptor_.number(), &about) != 0) return system_failure("examine", path_, errno);
    return identity_of(about);
  }

  Result<void> set_modified_time(WallTime time) override {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    struct timespec times[2] = {};
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = static_cast<time_t>(seconds.time_since_epoch().count());
    times[1].tv_nsec = static_cast<long>((time - seconds).count());
    if (::futimens(descriptor_.number(), times) != 0) return system_failure("set the time of", path_, errno);
    return {};
  }

  Result<void> set_access(Access access) override {
    const mode_t mode = access == Access::owner_only ? 0600 : 0666 & ~current_umask();
    if (::fchmod(descriptor_.number(), mode) != 0) return system_failure("set the access of", path_, errno);
    return {};
  }

 private:
  Descriptor descriptor_;
  std::filesystem::path path_;
};

}  // namespace

std::shared_ptr<File> make_posix_file(Descriptor descriptor, std::filesystem::path path) {
  return std::make_shared<PosixFile>(std::move(descriptor), std::move(path));
}

}  // namespace arkvory
