// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/rate_window.h"

#include <algorithm>

#include "core/base/wide.h"

namespace arkvory::server {

void RateWindow::end_second(Duration length, bool is_saturated) {
  const auto nanoseconds = std::max<Duration::rep>(length.count(), 1);
  const auto rate = static_cast<Wide>(bytes_) * 1'000'000'000U / static_cast<Wide>(nanoseconds);
  seconds_[next_] = {static_cast<std::uint64_t>(rate), is_saturated && rate > 0};
  next_ = (next_ + 1) % kSeconds;
  bytes_ = 0;
}

std::optional<std::uint64_t> RateWindow::rate() const {
  std::array<std::uint64_t, kSeconds> rates{};
  std::size_t count = 0;
  for (const auto& second : seconds_)
    if (second.is_saturated) rates[count++] = second.rate;
  if (count == 0) return std::nullopt;
  const auto rank = (count * 9 + 9) / 10 - 1;  // nearest rank
  std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rank),
                   rates.begin() + static_cast<std::ptrdiff_t>(count));
  return rates[rank];
}

}  // namespace arkvory::server
