// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/estimate.h"

#include <algorithm>

#include "core/base/ensure.h"
#include "core/base/wide.h"

namespace arkvory::server {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLongestCheck = minutes(5);
constexpr Duration kLongestThirdPartyCheck = seconds(30);

}  // namespace

Duration time_for(Wide bytes, std::uint64_t rate) {
  // A hundred years are as good as for ever, and far from overflowing.
  constexpr Wide kMost = Wide{100} * 365 * 86'400 * 1'000'000'000;
  return Duration(
      static_cast<Duration::rep>(std::min(std::min(bytes, Wide{UINT64_MAX}) * 1'000'000'000U / rate, kMost)));
}

StartEstimate estimate_start(const Queue& queue, std::uint64_t rate) {
  ensure(rate > 0, "an estimate needs a rate");
  return {time_for(queue.bytes_ahead - queue.last_bytes_ahead, rate),
          time_for(queue.bytes_ahead - queue.largest_ahead, rate), time_for(queue.bytes_ahead, rate)};
}

Duration time_to_check(const std::optional<StartEstimate>& start, bool is_first, bool is_third_party,
                       std::uint64_t hash) {
  const Duration shortest = is_first ? seconds(1) : seconds(2);
  const auto longest = is_third_party ? kLongestThirdPartyCheck : kLongestCheck;
  const auto half = std::clamp(start ? start->point / 2 : Duration(0), shortest, longest);
  if (is_first) return half;  // alone there, it is no herd, and a rounded-up second would keep a seat empty
  const auto spread = half / 10 / 1024 * static_cast<Duration::rep>(hash % 1024);
  return std::min(half + spread, longest);
}

Duration time_spread(std::uint64_t hash) {
  constexpr Duration kMost = seconds(30);
  return kMost / 1024 * static_cast<Duration::rep>(hash % 1024);
}

}  // namespace arkvory::server
