// SPDX-License-Identifier: Apache-2.0
// An open file of the machine, and the few helpers that its file system shares with it.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/file_system.h"

namespace arkvory {

// Repeats a system call for as long as a signal interrupts it.
template <typename Call>
auto uninterrupted(Call call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) answer = call();
  return answer;
}

// File::identity: device and inode number, decimal.
inline std::string identity_of(const struct stat& about) {
  return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
}

// `path` is for messages only.
std::shared_ptr<File> make_posix_file(Descriptor descriptor, std::filesystem::path path);

}  // namespace arkvory
