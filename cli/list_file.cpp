// SPDX-License-Identifier: Apache-2.0
#include "cli/list_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/digest.h"

namespace arkvory::cli {

namespace {

tl::unexpected<Error> cannot_open(const std::string& name, int code) {
  return fail(Fault::usage, fmt::format("the list {} can't be opened", name), std::generic_category().message(code));
}

}  // namespace

Result<ListFile> ListFile::open(const std::string& name, const std::filesystem::path& current) {
  const bool is_input = name == "-";
  auto path = is_input ? current / "-" : (current / name).lexically_normal();
  // Not waiting for the other end of a FIFO: whoever reads it is told when there is something.
  Descriptor descriptor(is_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor.is_open()) return cannot_open(name, errno);
  ListFile file(std::move(descriptor), std::move(path));
  struct stat about {};
  if (::fstat(file.descriptor(), &about) != 0) return cannot_open(name, errno);
  if (S_ISDIR(about.st_mode)) return cannot_open(name, EISDIR);
  file.may_wait_ = !S_ISREG(about.st_mode);
  file.is_lasting_ = !is_input && !file.may_wait_;
  if (!file.is_lasting_) return file;
  std::error_code failure;
  auto whole = std::filesystem::canonical(file.path_, failure);
  if (!failure) file.path_ = std::move(whole);
  return file;
}

Result<bool> ListFile::begins_with(std::uint64_t length, std::uint64_t digest) const {
  std::vector<std::byte> piece(256 * 1024);
  Xxh3 sum;
  for (std::uint64_t at = 0; at < length;) {
    const auto wanted = std::min<std::uint64_t>(piece.size(), length - at);
    const auto got = ::pread(descriptor(), piece.data(), wanted, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(Fault::local, fmt::format("the list {} can't be read", path_.native()),
                  std::generic_category().message(errno));
    if (got == 0) return false;
    sum.update(std::span(piece).first(static_cast<std::size_t>(got)));
    at += static_cast<std::uint64_t>(got);
  }
  return sum.value() == digest;
}

}  // namespace arkvory::cli
