// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/told_start.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace arkvory::server {
namespace {

using Hundredths = std::chrono::duration<std::int64_t, std::centi>;

constexpr Duration kFurthest = std::chrono::hours(24 * 100);

std::uint32_t hundredths(Instant at) {
  return static_cast<std::uint32_t>(std::chrono::floor<Hundredths>(at.time_since_epoch()).count());
}

}  // namespace

void ToldStart::keep(const StartEstimate& told, Instant now) {
  const auto from = std::min(told.from, told.point);
  const auto to = std::max(told.to, told.point);
  if (is_known() || to > kFurthest) return;
  point_ = hundredths(now + told.point);
  earlier_ = point_ - hundredths(now + from);
  later_ = hundredths(now + to) - point_;
}

std::optional<ToldStart::Error> ToldStart::error(Instant started) const {
  if (!is_known()) return std::nullopt;
  const auto late = static_cast<std::int32_t>(hundredths(started) - point_);
  return Error{Hundredths(std::abs(static_cast<std::int64_t>(late))),
               -late <= static_cast<std::int64_t>(earlier_) && late <= static_cast<std::int64_t>(later_)};
}

}  // namespace arkvory::server
