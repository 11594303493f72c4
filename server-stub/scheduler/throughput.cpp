// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/throughput.h"

#include "core/base/wide.h"

namespace arkvory::server {

void Throughput::end_second(Duration length) {
  newest_ = (newest_ + 1) % marks_.size();
  marks_[newest_] = {length, totals_};
}

std::uint64_t Throughput::rate(DownloadClass name) const {
  // The oldest mark is where the first of the seconds began.
  const auto& oldest = marks_[(newest_ + 1) % marks_.size()];
  Duration passed{0};
  for (const auto& mark : marks_) passed += mark.length;
  passed -= oldest.length;
  if (passed <= Duration(0)) return 0;
  const auto own = static_cast<std::size_t>(name);
  const Wide bytes = marks_[newest_].totals[own] - oldest.totals[own];
  return static_cast<std::uint64_t>(bytes * 1'000'000'000U / static_cast<Wide>(passed.count()));
}

}  // namespace arkvory::server
