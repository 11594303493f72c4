// SPDX-License-Identifier: Apache-2.0
// What has happened since the scheduler began: only what nothing that it holds would tell any more (L5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "server-stub/scheduler/histogram.h"
#include "server-stub/scheduler/service_order.h"
#include "server-stub/scheduler/told_start.h"

namespace arkvory::server {

class Tally {
 public:
  enum class Event {
    no_show,         // one in line did not come back in time (S11)
    seat_lost,       // by idling or by taking too little (S8, S9, S13)
    preemption,      // a seat was passed on at a border (O9)
    ticket_used_up,  // one came with a good ticket that restores nothing any more (T2)
  };

  Tally();

  void happened(Event event, DownloadClass name) { of(event)[static_cast<std::size_t>(name)] += 1; }
  // A session got its first seat `wait` after its arrival; `error`: of what it was told first (E4).
  void started(DownloadClass name, Duration wait, const std::optional<ToldStart::Error>& error);

  std::uint64_t times(Event event, DownloadClass name) const { return of(event)[static_cast<std::size_t>(name)]; }
  std::uint64_t times(Event event) const {
    return std::accumulate(of(event).begin(), of(event).end(), std::uint64_t{0});
  }
  const Histogram& waits(DownloadClass name) const { return waits_[static_cast<std::size_t>(name)]; }
  // Of those that had been told a start.
  const Histogram& estimate_errors() const { return estimate_errors_; }
  // Of them, how many started inside the interval told.
  std::uint64_t inside_interval() const { return inside_interval_; }

 private:
  using ByClass = std::array<std::uint64_t, kClasses>;
  ByClass& of(Event event) { return events_[static_cast<std::size_t>(event)]; }
  const ByClass& of(Event event) const { return events_[static_cast<std::size_t>(event)]; }

  std::array<ByClass, 4> events_{};
  std::vector<Histogram> waits_;  // by class
  Histogram estimate_errors_;
  std::uint64_t inside_interval_ = 0;
};

}  // namespace arkvory::server
