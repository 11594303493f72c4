// SPDX-License-Identifier: Apache-2.0
// What `arkvory-stub simulate` is given (scheduler.md, Simulator), as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/protocol/download_class.h"
#include "server-stub/scheduler/settings.h"

namespace arkvory::server {

// Held at the server: takes a seat the instant it is free.
struct PresentMode {};
// Comes when it was told to.
struct PollerMode {};
// Comes again at these times, absolute, in ascending order; once seated it stays.
struct ListedMode {
  std::vector<Duration> times;
};
using ClientMode = std::variant<PresentMode, PollerMode, ListedMode>;

// One client; groups are already spread out and random values drawn.
struct SimulatedClient {
  std::string name;       // `a`, or `a-1`, `a-2`, …
  std::string principal;  // of a group with `each` as many as there are clients
  DownloadClass download_class = DownloadClass::bulk;
  std::uint64_t size = 0;  // bytes, > 0
  Duration arrive{0};      // from the start of the simulation
  ClientMode mode = PresentMode{};
  std::optional<std::uint64_t> rate{};  // bytes a second it can take; none: any
  std::uint64_t range = 8 * kMiB;       // bytes of a range, > 0: a session yields at multiples of it
  bool has_id = true;
  std::optional<Duration> leave{};   // absolute: vanishes silently
  std::optional<Duration> cancel{};  // absolute: ends its download, and says so
};

struct Scenario {
  std::uint64_t seed = 1;
  WallTime start{};                 // 2027-01-01T00:00:00Z unless given
  std::uint64_t link = 0;           // bytes a second, > 0
  Duration network{0};              // one way
  std::optional<Duration> until{};  // none: to the end of the last client
  SchedulerSettings settings{};
  std::vector<SimulatedClient> clients{};  // in the order written
};

// Fault::usage with one line: the JSON Pointer of the fault and what it should be, as in
// `/clients/0/size: takes a size such as "40MB"`.
Result<Scenario> parse_scenario(std::string_view text);

}  // namespace arkvory::server
