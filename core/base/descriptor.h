// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace arkvory {

// Owns a file descriptor, or none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    // Write errors were reported by a sync; after EINTR the descriptor is gone all the same (Linux).
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  // What this had is closed with `other`.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  // Somebody else's from now on.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace arkvory
