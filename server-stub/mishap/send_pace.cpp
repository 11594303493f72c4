// SPDX-License-Identifier: Apache-2.0
#include "server-stub/mishap/send_pace.h"

#include <algorithm>
#include <chrono>

#include "core/base/wide.h"

namespace arkvory::server {
namespace {

constexpr std::uint64_t kAnyNumber = std::uint64_t{1} << 62U;
// Of a slow answer: so often at most, so that a rate is even and costs little.
constexpr std::uint64_t kStepsInASecond = 20;
constexpr std::uint64_t kSecond = 1'000'000'000;  // in ns

}  // namespace

SendPace::Step SendPace::next(std::uint64_t sent, Instant now) {
  if (is_over(sent)) return {0, Instant::max()};
  auto step = paced(sent, now);
  if (plan_.ends_at) step.bytes = std::min(step.bytes, *plan_.ends_at - sent);
  if (!plan_.stalls_at || sent > *plan_.stalls_at) return step;
  if (sent < *plan_.stalls_at) return {std::min(step.bytes, *plan_.stalls_at - sent), step.again};
  if (!stalled_) stalled_ = now;
  const auto until = plan_.stall ? *stalled_ + *plan_.stall : Instant::max();
  return now < until ? Step{0, until} : step;
}

SendPace::Step SendPace::paced(std::uint64_t sent, Instant now) {
  if (!plan_.rate) return {kAnyNumber, now};
  if (sent < plan_.head) return {plan_.head - sent, now};
  if (!begun_) begun_ = now;
  const auto of_body = sent - plan_.head;
  const auto elapsed = static_cast<std::uint64_t>((now - *begun_).count());
  const auto due = static_cast<std::uint64_t>(std::min<Wide>(Wide{*plan_.rate} * elapsed / kSecond, Wide{kAnyNumber}));
  const auto step = std::max<std::uint64_t>(*plan_.rate / kStepsInASecond, 1);
  if (due >= of_body + step) return {due - of_body, now};
  const auto wait = (Wide{of_body + step} * kSecond + *plan_.rate - 1) / *plan_.rate;
  return {0, *begun_ + Duration(static_cast<Duration::rep>(wait))};
}

}  // namespace arkvory::server
