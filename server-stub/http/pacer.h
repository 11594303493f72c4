// SPDX-License-Identifier: Apache-2.0
// The governor with a timer: asks nobody to wait on their own, but calls back each stream when it may send (B1).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "core/base/clock.h"
#include "server-stub/scheduler/governor.h"

namespace arkvory::server {

class Pacer {
 public:
  using StreamId = Governor::StreamId;
  // So many bytes may be sent now. Never called from within `want`.
  using Allow = std::function<void(std::uint64_t bytes)>;

  Pacer(boost::asio::any_io_executor executor, const Clock& clock, std::uint64_t rate, std::uint64_t floor,
        BandwidthOrder order);

  StreamId open(std::uint64_t order, std::optional<Governor::Group> group, Allow allow);
  // Gives back what of an allowance was not sent.
  void close(StreamId stream, std::uint64_t unused);
  void want(StreamId stream, std::uint64_t bytes);
  void change(std::uint64_t floor, BandwidthOrder order);
  void limit(Governor::Group group, std::optional<std::uint64_t> rate);
  void charge(std::uint64_t bytes) { governor_.charge(bytes); }

 private:
  void arm();
  void serve();

  boost::asio::steady_timer timer_;
  const Clock& clock_;
  Governor governor_;
  std::unordered_map<StreamId, Allow> streams_;
  std::optional<Instant> armed_for_;
  std::uint64_t turn_ = 0;
  bool is_serving_ = false;
};

}  // namespace arkvory::server
