// SPDX-License-Identifier: Apache-2.0
// Which classes may begin sessions now (W1), and for how long each could not: the windows on the scheduler's clock.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/windows.h"

namespace arkvory::server {

class ClassGates {
 public:
  // `windows`: null for none. `wall`: what the clock on the wall shows at `now`.
  ClassGates(std::shared_ptr<const ClassWindows> windows, Instant now, WallTime wall);
  void change(std::shared_ptr<const ClassWindows> windows, Instant now);
  // The clock on the wall was set.
  void set_wall(Instant now, WallTime wall);

  // Time goes on to `now`: the classes whose gate changed since are appended.
  void follow(Instant now, std::vector<DownloadClass>& changed);
  // When `follow` has something to do; none where never.
  std::optional<Instant> next_change() const { return next_change_; }

  bool has_windows() const { return windows_ != nullptr; }
  // Inside its window, or without one.
  bool is_inside(DownloadClass name) const { return gate(name).is_inside; }
  // May not begin: outside, and no share of the rate for it there.
  bool is_barred(DownloadClass name) const { return !gate(name).is_inside && gate(name).share_ppm == 0; }
  // Millionths of the rate for what begins outside.
  std::uint32_t outside_share_ppm(DownloadClass name) const { return gate(name).share_ppm; }
  // Until the class may begin; none where that isn't known.
  std::optional<Duration> until_open(DownloadClass name, Instant now) const;
  // For how long of a time that is past it was barred, as the windows are now.
  Duration barred_between(DownloadClass name, Instant from, Instant to) const;
  // For how long it was barred up to `now`, since the scheduler began.
  Duration barred(DownloadClass name, Instant now) const;

  WallTime wall(Instant at) const { return WallTime(at.time_since_epoch() + offset_); }
  Instant instant(WallTime at) const { return Instant(at.time_since_epoch() - offset_); }

 private:
  struct Gate {
    bool is_inside = true;
    std::uint32_t share_ppm = 0;
    std::optional<Instant> next{};  // change of is_inside
    Duration barred{0};             // before barred_since
    Instant barred_since{};
  };
  const Gate& gate(DownloadClass name) const { return gates_[static_cast<std::size_t>(name)]; }
  void look(Instant now);

  std::shared_ptr<const ClassWindows> windows_;
  Duration offset_{0};  // from the scheduler's clock to that on the wall
  std::array<Gate, kClasses> gates_{};
  std::optional<Instant> next_change_{};
};

}  // namespace arkvory::server
