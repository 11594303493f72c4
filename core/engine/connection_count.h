// SPDX-License-Identifier: Apache-2.0
// How many ranges run at once: what the user allows, less what the server has shown not to bear (client.md, Waiting). A
// value.
#pragma once

#include <algorithm>

namespace arkvory {

class ConnectionCount {
 public:
  // `allowed` >= 1.
  explicit ConnectionCount(unsigned allowed) : most_(allowed), now_(allowed) {}

  unsigned now() const { return now_; }

  // The server says that these are too many. False where there is only one.
  bool lower_for_good() {
    if (now_ == 1) return false;
    most_ = --now_;
    return true;
  }

  // A request failed beside others. That may be chance: after a while one more is tried again, each time
  // after twice as many ranges as before. False where there is only one.
  bool lower_for_now() {
    served_in_a_row_ = 0;
    if (now_ == 1) return false;
    --now_;
    if (tried_again_) served_before_more_ = std::min(2 * served_before_more_, kMostServed);
    tried_again_ = false;
    return true;
  }

  // No more than so many are of use for now; likewise.
  void lower_to(unsigned most) {
    most = std::max(1U, most);
    if (most >= now_) return;
    now_ = most + 1;
    lower_for_now();
  }

  // A range came whole.
  void served() {
    if (now_ == most_ || ++served_in_a_row_ < served_before_more_) return;
    served_in_a_row_ = 0;
    tried_again_ = true;
    ++now_;
  }

 private:
  static constexpr unsigned kMostServed = 1024;

  unsigned most_;
  unsigned now_;
  unsigned served_in_a_row_ = 0;
  unsigned served_before_more_ = 4;
  bool tried_again_ = false;
};

}  // namespace arkvory
