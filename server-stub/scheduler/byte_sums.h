// SPDX-License-Identifier: Apache-2.0
// Sums over a row of amounts that only ever become nothing: how much is left before a place, in O(log n) (a Fenwick
// tree).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arkvory::server {

class ByteSums {
 public:
  // One more at the end of the row. O(log n).
  void append(std::uint64_t bytes) {
    const auto at = sums_.size() + 1;
    // What stands in the part that ends here.
    for (std::size_t below = 1; below < (at & (~at + 1)); below *= 2) bytes += sums_[at - below - 1];
    sums_.push_back(bytes);
  }
  // The place has nothing any more. Requires that it had so much.
  void take_out(std::size_t place, std::uint64_t bytes) {
    for (auto at = place + 1; at <= sums_.size(); at += at & (~at + 1)) sums_[at - 1] -= bytes;
  }
  std::uint64_t before(std::size_t place) const {
    std::uint64_t sum = 0;
    for (auto at = place; at > 0; at -= at & (~at + 1)) sum += sums_[at - 1];
    return sum;
  }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace arkvory::server
