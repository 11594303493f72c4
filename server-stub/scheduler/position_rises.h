// SPDX-License-Identifier: Apache-2.0
// Why a position that was told has risen (O4): it may only by one of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "server-stub/scheduler/service_order.h"

namespace arkvory::server {

enum class RiseReason {
  settings,
  window,    // the class's window opened, and its account began anew
  ticket,    // one came with a ticket for an earlier place
  returned,  // one that yielded or lost its seat came back
  aged,      // sessions were raised to another class
  joined,    // a session joined the class
  arrival,   // a session came in another class
  passed,    // one was seated before others that were ahead of it
  left,      // one of another class left or gave bytes back
};
inline constexpr std::array<std::string_view, 9> kRiseReasonNames{"settings", "window",  "ticket", "returned", "aged",
                                                                  "joined",   "arrival", "passed", "left"};

// The log of what can make a position rise, as far as it matters: when each last happened, counted in events.
class PositionRises {
 public:
  using Count = std::uint64_t;
  // A count as sessions keep it: its low half. Four thousand million events pass between no two answers of one session.
  using Mark = std::uint32_t;

  void happened(RiseReason reason, DownloadClass name) { last(reason)[static_cast<std::size_t>(name)] = ++count_; }
  void happened(RiseReason reason) { last(reason).fill(++count_); }
  Mark mark() const { return static_cast<Mark>(count_); }

  // The position of a session of the class rose after `since`: counts and returns why. None where nothing happened that
  // could be the reason.
  std::optional<RiseReason> rose(DownloadClass name, Mark since);
  std::uint64_t times(RiseReason reason) const { return times_[static_cast<std::size_t>(reason)]; }

 private:
  using ByClass = std::array<Count, kClasses>;
  ByClass& last(RiseReason reason) { return last_[static_cast<std::size_t>(reason)]; }

  std::array<ByClass, kRiseReasonNames.size()> last_{};
  std::array<std::uint64_t, kRiseReasonNames.size()> times_{};
  Count count_ = 0;
};

}  // namespace arkvory::server
