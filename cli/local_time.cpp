// SPDX-License-Identifier: Apache-2.0
#include "cli/local_time.h"

#include <fmt/format.h>
#include <time.h>

namespace arkvory::cli {

std::string local_time(WallTime time, WallTime now) {
  using namespace std::chrono;
  const auto seconds_since_epoch = floor<seconds>(time.time_since_epoch()).count();
  const auto stamp = static_cast<time_t>(seconds_since_epoch);
  tm parts{};
  if (localtime_r(&stamp, &parts) == nullptr) return "?";
  const auto hour = fmt::format("{:02}:{:02}", parts.tm_hour, parts.tm_min);
  const auto distance = time > now ? time - now : now - time;
  if (distance <= 12h) return hour;
  return fmt::format("{}-{:02}-{:02} {}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, hour);
}

}  // namespace arkvory::cli
