// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/descriptor.h"

namespace arkvory::cli {

// Two descriptors as one: readable when the first is, or the second while that is wanted. For the one place that waits,
// which watches one descriptor.
class WatchedDescriptors {
 public:
  // Both belong to somebody else; -1 for none.
  WatchedDescriptors(int always, int at_times);

  int descriptor() const { return set_.is_open() ? set_.number() : always_; }
  void want(bool is_wanted);

 private:
  Descriptor set_;
  int always_;
  int at_times_;
  bool is_wanted_ = false;
};

}  // namespace arkvory::cli
