// SPDX-License-Identifier: Apache-2.0
// What the classes' sessions were sent: in all, and at what rate in the last seconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/clock.h"
#include "server-stub/scheduler/service_order.h"

namespace arkvory::server {

class Throughput {
 public:
  static constexpr std::size_t kSeconds = 10;

  void delivered(DownloadClass name, std::uint64_t bytes) { totals_[static_cast<std::size_t>(name)] += bytes; }
  // A second is over, `length` after the last call.
  void end_second(Duration length);

  std::uint64_t total(DownloadClass name) const { return totals_[static_cast<std::size_t>(name)]; }
  // Bytes a second, over the whole seconds among the last ten; 0 before the first is over.
  std::uint64_t rate(DownloadClass name) const;

 private:
  using ByClass = std::array<std::uint64_t, kClasses>;
  struct Mark {
    Duration length{0};
    ByClass totals{};  // at its end
  };

  ByClass totals_{};
  std::array<Mark, kSeconds + 1> marks_{};
  std::size_t newest_ = 0;
};

}  // namespace arkvory::server
