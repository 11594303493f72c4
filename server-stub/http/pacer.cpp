// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/pacer.h"

#include <utility>

namespace arkvory::server {

Pacer::Pacer(boost::asio::any_io_executor executor, const Clock& clock, std::uint64_t rate, std::uint64_t floor,
             BandwidthOrder order)
    : timer_(std::move(executor)), clock_(clock), governor_(rate, floor, order, clock.now()) {}

Pacer::StreamId Pacer::open(std::uint64_t order, std::optional<Governor::Group> group, Allow allow) {
  const auto stream = governor_.open(order, clock_.now(), group);
  streams_.emplace(stream, std::move(allow));
  return stream;
}

void Pacer::close(StreamId stream, std::uint64_t unused) {
  if (unused > 0) governor_.refund(stream, unused);
  governor_.close(stream);
  streams_.erase(stream);
  arm();
}

void Pacer::want(StreamId stream, std::uint64_t bytes) {
  governor_.want(stream, bytes);
  arm();
}

void Pacer::change(std::uint64_t floor, BandwidthOrder order) {
  governor_.change(floor, order, clock_.now());
  arm();
}

void Pacer::limit(Governor::Group group, std::optional<std::uint64_t> rate) {
  governor_.limit(group, rate, clock_.now());
  arm();
}

// Always by the timer, also for what is due at once: those who want something in one go are served together, in order.
void Pacer::arm() {
  if (is_serving_) return;
  const auto now = clock_.now();
  const auto next = governor_.next(now);
  if (!next || (armed_for_ && *armed_for_ <= *next)) return;  // too early costs one look
  armed_for_ = next;
  ++turn_;
  timer_.expires_after(*next - now);
  timer_.async_wait([this, turn = turn_](const boost::system::error_code& error) {
    if (!error && turn == turn_) serve();
  });
}

void Pacer::serve() {
  armed_for_.reset();
  is_serving_ = true;
  for (const auto& [stream, bytes] : governor_.allot(clock_.now())) {
    // Serving one may end another.
    const auto found = streams_.find(stream);
    if (found == streams_.end())
      governor_.refund(stream, bytes);
    else
      Allow(found->second)(bytes);
  }
  is_serving_ = false;
  arm();
}

}  // namespace arkvory::server
