// SPDX-License-Identifier: Apache-2.0
// The settings of the scheduler (scheduler.md, Settings) as they are in force: plain values, already checked.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "core/protocol/download_class.h"

namespace arkvory::server {

enum class Strategy { ordered, smallest_first, shared };  // O1
enum class BandwidthOrder { oldest_first, equal };        // B2

class ClassWindows;

inline constexpr std::uint64_t kMostSessions = 1'048'576;  // L1: what `queue_limit` may be raised to

struct SchedulerSettings {
  Strategy strategy = Strategy::ordered;

  // Seats.
  std::uint64_t max_downloads = 16;             // at once under per-request admission (S2)
  std::optional<std::uint64_t> sessions{};      // none: as max_downloads
  std::optional<std::uint64_t> reserve{};       // seats kept for `interactive` (O5); none: 1 from four seats, else 0
  std::uint64_t per_principal = 4;              // O8; 0: off
  std::uint64_t ranges_per_session = 4;         // S4
  std::uint64_t session_min_bytes = 16 * kMiB;  // S2: larger objects are scheduled
  Duration idle = std::chrono::seconds(30);     // S8

  // Order.
  std::array<std::uint64_t, kDownloadClassNames.size()> weights{8, 4, 2, 1};  // by class (O2), each 1 to 1000
  Duration aging = std::chrono::minutes(30);                                  // O6; 0: off
  bool preempt = true;                                                        // O9
  std::shared_ptr<const ClassWindows> windows{};                              // W1; null: none

  // Bandwidth, in bytes per second.
  std::optional<std::uint64_t> bandwidth{};  // the total rate (B1); none: unlimited
  BandwidthOrder bandwidth_order = BandwidthOrder::oldest_first;
  std::uint64_t bandwidth_floor = 64 * kKiB;

  // Waiting.
  Duration restart_grace = std::chrono::seconds(5);  // T1
  Duration hold = std::chrono::seconds(20);          // a request without an id
  std::uint64_t transfer_queue_limit = 64;           // L1: held requests without an id
  std::uint64_t queue_limit = 65'536;                // L1: sessions in all
  std::uint64_t sessions_per_principal = 4'096;      // L1

  std::uint64_t seats() const { return sessions.value_or(max_downloads); }
  // Never more than there are: fewer seats lower the reserve with them.
  std::uint64_t reserved_seats() const { return std::min(reserve.value_or(seats() >= 4 ? 1 : 0), seats()); }
  std::uint64_t weight(DownloadClass name) const { return weights[static_cast<std::size_t>(name)]; }
};

}  // namespace arkvory::server
