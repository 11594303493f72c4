// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/tally.h"

namespace arkvory::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// From at once to days.
constexpr std::array<Duration, 12> kWaits{milliseconds(500), seconds(2), seconds(10), seconds(30),
                                          minutes(1),        minutes(5), minutes(15), minutes(30),
                                          hours(1),          hours(4),   hours(12),   hours(24)};
// Around the two seconds that are aimed at (E4).
constexpr std::array<Duration, 10> kErrors{milliseconds(100), milliseconds(500), seconds(1), seconds(2),  seconds(5),
                                           seconds(10),       seconds(30),       minutes(2), minutes(10), hours(1)};

}  // namespace

Tally::Tally() : waits_(kClasses, Histogram(kWaits)), estimate_errors_(kErrors) {}

void Tally::started(DownloadClass name, Duration wait, const std::optional<ToldStart::Error>& error) {
  waits_[static_cast<std::size_t>(name)].add(wait);
  if (!error) return;
  estimate_errors_.add(error->size);
  if (error->is_inside_interval) inside_interval_ += 1;
}

}  // namespace arkvory::server
