// SPDX-License-Identifier: Apache-2.0
// A limit of time that is set anew with every request and seldom reached. The timer below it is left running and looks
// at the limit when it rings: to arm and cancel one each time costs more than answering one who waits.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/clock.h"

namespace arkvory::server {

class Patience {
 public:
  // `over` is called each time that a limit is reached, never from within a call.
  Patience(const boost::asio::any_io_executor& executor, const Clock& clock, std::function<void()> over);

  // From now on until `after`, in place of an earlier limit. `owner`, which this lives in, is kept alive until the
  // timer rings or `release`.
  void set(Duration after, std::shared_ptr<void> owner);
  void clear() { until_.reset(); }
  // The owner is no longer kept alive.
  void release();

 private:
  void arm(std::shared_ptr<void> owner, Instant now);
  void ring(std::shared_ptr<void> owner);

  boost::asio::steady_timer timer_;
  const Clock& clock_;
  std::function<void()> over_;
  std::optional<Instant> until_;
  std::optional<Instant> rings_at_;  // while the timer runs
  std::uint64_t turn_ = 0;           // an expiry may be under way to its handler when the timer is armed anew
};

}  // namespace arkvory::server
