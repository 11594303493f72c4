// SPDX-License-Identifier: Apache-2.0
// An open file of the machine, and the few helpers that its file system shares with it.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "core/base/file_system.h"

namespace arkvory {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    // Write errors were reported by `sync`; after EINTR the descriptor is gone all the same (Linux).
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

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
