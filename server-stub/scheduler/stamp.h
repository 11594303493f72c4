// SPDX-License-Identifier: Apache-2.0
// Wall-clock milliseconds as sessions keep them: in six bytes, which hold four thousand years either way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace arkvory::server {

class Stamp {
 public:
  static constexpr std::int64_t kLatest = (std::int64_t{1} << 47U) - 1;

  // Times beyond what it holds become the nearest that it does.
  Stamp(std::int64_t milliseconds) {
    const auto bits = static_cast<std::uint64_t>(std::clamp(milliseconds, -kLatest - 1, kLatest));
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = static_cast<std::uint16_t>(bits >> (16 * i));
  }
  operator std::int64_t() const {
    // From the top, so that the sign comes along.
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) bits |= std::uint64_t{parts_[i]} << (16 * (i + 1));
    return static_cast<std::int64_t>(bits) / (1 << 16);
  }

 private:
  std::array<std::uint16_t, 3> parts_;
};

}  // namespace arkvory::server
