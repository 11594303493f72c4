// SPDX-License-Identifier: Apache-2.0
// What would happen if everyone in line were present and nothing else happened (E1): who is seated when, replayed over
// order, seats, shares, reserve, windows and bandwidth. A function of values; O(n log n). Who goes out of order puts
// the rest of its class back, as it will (Exactly 4). Floors are left out, and so is ageing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/scheduler/class_gates.h"
#include "server-stub/scheduler/class_tags.h"
#include "server-stub/scheduler/estimate.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/scheduler/shares.h"

namespace arkvory::server {

class Replay {
 public:
  struct Seated {
    SessionIndex session = 0;
    std::uint64_t rest = 0;                                     // bytes
    DownloadClass download_class = DownloadClass::interactive;  // its own
    DownloadClass waits_in = DownloadClass::interactive;
    PrincipalIndex counted_as = 0;
    bool has_download_id = true;
  };
  struct Line {
    std::vector<Seated> active;   // by grant
    std::vector<Seated> waiting;  // in the order of service, within each class at least
    ClassTags tags{{1, 1, 1, 1}};
    Shares shares{0};  // with both
    ClassGates gates;
    std::size_t seats = 1;
    std::size_t seats_for_others = 1;  // but `interactive` (O5)
    std::uint64_t rate = 1;            // bytes a second
    BandwidthOrder bandwidth_order = BandwidthOrder::oldest_first;
    std::uint64_t floor = 0;  // bytes a second
  };

  Replay(Line line, Instant now);

  // From the time of the replay. None where the session was not in line, or is never seated.
  std::optional<StartEstimate> start_of(SessionIndex session) const;
  // When the last of those in line is seated. None where one is never seated.
  std::optional<Duration> last_start() const;
  Instant made_at() const { return made_at_; }
  // How many were replayed: what it cost.
  std::size_t length() const { return length_; }

 private:
  Instant made_at_;
  std::size_t length_;
  std::size_t waiting_;
  std::unordered_map<SessionIndex, StartEstimate> starts_;
};

}  // namespace arkvory::server
