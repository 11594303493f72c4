// SPDX-License-Identifier: Apache-2.0
#include "core/wait/time_argument.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::WallTime;
using namespace std::chrono_literals;

namespace {

const WallTime kMoments[] = {WallTime(), WallTime(1798761600s), WallTime(arkvory::kLastMoment), WallTime::max(),
                             WallTime::min()};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = arkvory::fuzz::as_text(data, size);
  const bool is_one = arkvory::is_time_argument(text);
  for (const auto now : kMoments) {
    const auto moment = arkvory::parse_time_argument(text, now, now, arkvory::civil_of);
    ensure(is_one || !moment, "what is no moment means none on any day");
    if (!moment) continue;
    ensure(*moment >= WallTime() && *moment <= WallTime(arkvory::kLastMoment) + 1s, "a moment is within the calendar");
    ensure(moment->time_since_epoch() % 1ms == 0ms, "a moment is in whole milliseconds");
    ensure(!text.starts_with('+') || *moment >= now, "a duration goes forward");
  }
  return 0;
}
