// SPDX-License-Identifier: Apache-2.0
#include "core/wait/wait_bounds.h"

#include <fmt/format.h>

#include "core/base/rfc3339.h"
#include "core/base/size.h"

namespace arkvory {

namespace {

// What is known of the wait: `the server answered 503; place 7, starts in 47 min; it is to be asked again in 30 s`.
std::string described(const PlannedWait& wait) {
  auto text = wait.why.text();
  std::string place;
  if (wait.notice.position) place = fmt::format("place {} in the queue", *wait.notice.position);
  if (wait.notice.starts_at)
    place += fmt::format("{}start at {}", place.empty() ? "" : ", ", format_rfc3339(*wait.notice.starts_at));
  if (!place.empty()) text += "; " + place;
  if (wait.notice.starts_at && *wait.notice.starts_at > wait.now)
    text += fmt::format(" (in {})", format_duration(*wait.notice.starts_at - wait.now));
  return text;
}

}  // namespace

std::optional<Error> beyond_limit(const PlannedWait& wait, std::optional<Duration> limit, Duration spent) {
  if (!limit || (spent < *limit && wait.length <= *limit - spent)) return std::nullopt;
  return Error{
      Fault::wait_limit,
      fmt::format("{}; another wait of {} would go beyond the wait limit of {}, of which {} are spent", described(wait),
                  format_duration(wait.length), format_duration(*limit), format_duration(spent))};
}

std::optional<Error> beyond_deadline(const PlannedWait& wait, std::optional<WallTime> not_after) {
  if (!not_after) return std::nullopt;
  const bool starts_later = wait.notice.starts_at && *wait.notice.starts_at > *not_after;
  const bool asks_later = wait.now >= *not_after || wait.length > *not_after - wait.now;
  if (!starts_later && !asks_later) return std::nullopt;
  return Error{
      Fault::deadline,
      fmt::format(
          "{}; too late for the deadline {}{}", described(wait), format_rfc3339(*not_after),
          starts_later ? "" : fmt::format(", for it is to be asked again in {}", format_duration(wait.length)))};
}

std::optional<Error> deadline_passed(std::optional<WallTime> not_after, WallTime now) {
  if (!not_after || now < *not_after) return std::nullopt;
  return Error{Fault::deadline,
               fmt::format("the deadline {} has passed before the download began", format_rfc3339(*not_after))};
}

}  // namespace arkvory
