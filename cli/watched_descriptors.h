// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace arkvory::cli {

// Two descriptors as one: readable when the first is, or the second while that is wanted. For the one place that waits,
// which watches one descriptor.
class WatchedDescriptors {
 public:
  // Both belong to somebody else; -1 for none.
  WatchedDescriptors(int always, int at_times);
  ~WatchedDescriptors();
  WatchedDescriptors(const WatchedDescriptors&) = delete;
  WatchedDescriptors& operator=(const WatchedDescriptors&) = delete;

  int descriptor() const { return set_ >= 0 ? set_ : always_; }
  void want(bool is_wanted);

 private:
  int set_;
  int always_;
  int at_times_;
  bool is_wanted_ = false;
};

}  // namespace arkvory::cli
