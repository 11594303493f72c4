// SPDX-License-Identifier: Apache-2.0
#include "cli/secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "core/base/descriptor.h"

namespace arkvory::cli {

namespace {

constexpr std::size_t kLargest = 64 * 1024;

tl::unexpected<Error> cannot_read(const std::filesystem::path& path) {
  return fail(Fault::auth, fmt::format("{} can't be read", path.native()), std::generic_category().message(errno));
}

}  // namespace

Result<Secret> read_secret_file(const std::filesystem::path& path, OthersMayRead others) {
  // Not blocking: a FIFO without a writer would hold the program for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0) return cannot_read(path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return cannot_read(path);
  if (S_ISDIR(status.st_mode)) return fail(Fault::auth, fmt::format("{} is a folder", path.native()));
  if (others == OthersMayRead::no && S_ISREG(status.st_mode) && (status.st_mode & (S_IRGRP | S_IROTH)) != 0)
    return fail(Fault::auth, fmt::format("{} can be read by others; chmod 600 makes it private", path.native()));

  std::string content(kLargest + 1, '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const auto got = ::read(file.number(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  if (filled > kLargest) return fail(Fault::auth, fmt::format("{} is larger than 64 KiB", path.native()));
  content.resize(filled);
  return Secret(std::move(content));
}

}  // namespace arkvory::cli
