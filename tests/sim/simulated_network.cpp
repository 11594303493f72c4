// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/simulated_network.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::sim {

namespace {

// As much as the real transport hands over at most in one piece.
constexpr std::uint64_t chunk_max = 64U * 1024U;
// A slow body comes in this many pieces a second.
constexpr std::uint64_t chunks_a_second = 20;
// How long, in real time, a thread of the client may take to wake it before the test counts as hung.
constexpr auto wake_patience = std::chrono::seconds(60);

std::string origin_of(std::string_view text) {
  const auto url = Url::parse(text);
  ensure(url.has_value(), "a simulated origin has a URL");
  return url->origin();
}

Duration time_for(std::uint64_t bytes, std::uint64_t rate) {
  if (rate == 0) return Duration::zero();
  return Duration(static_cast<Duration::rep>(bytes * 1'000'000'000U / rate));
}

}  // namespace

SimBody SimBody::of(std::string text) {
  const auto length = text.size();
  return {length, [text = std::move(text)](std::uint64_t offset, std::span<std::byte> bytes) {
            std::memcpy(bytes.data(), text.data() + offset, bytes.size());
          }};
}

void SimulatedNetwork::connect(std::string_view origin, SimServer& server) { servers_[origin_of(origin)] = &server; }

void SimulatedNetwork::set_latency(Duration least, Duration spread) {
  latency_least_ = least;
  latency_spread_ = spread;
}

void SimulatedNetwork::at(Instant time, std::function<void()> happening) { schedule(time, std::move(happening)); }

void SimulatedNetwork::break_off(std::string_view origin, std::optional<EndKind> kind) {
  const auto broken = origin_of(origin);
  for (auto& [id, transfer] : transfers_) {
    if (transfer.is_ending || transfer.request.url.origin() != broken) continue;
    transfer.is_ending = true;
    if (kind) end_at(id, transfer, clock_.now(), {*kind, "the server went away", 0});
  }
}

void SimulatedNetwork::set_online(bool online) {
  online_ = online;
  if (online) return;
  for (auto& [id, transfer] : transfers_)
    if (!transfer.is_ending) end_at(id, transfer, clock_.now(), {EndKind::cut, "the network went away", 0});
}

void SimulatedNetwork::schedule(Instant time, std::function<void()> happen) {
  events_.push({std::max(time, clock_.now()), ++sequence_, std::move(happen)});
}

// A step of a transfer that happens unless it is over by then.
void SimulatedNetwork::schedule_for(TransferId id, Instant time,
                                    void (SimulatedNetwork::*step)(TransferId, Transfer&)) {
  schedule(time, [this, id, step] {
    const auto found = transfers_.find(id);
    if (found != transfers_.end() && !found->second.is_ending) (this->*step)(id, found->second);
  });
}

void SimulatedNetwork::end_at(TransferId id, Transfer& transfer, Instant time, TransferEnd end) {
  transfer.is_ending = true;
  schedule(time, [this, id, end = std::move(end)] {
    if (transfers_.contains(id)) finish(id, end);
  });
}

TransferId SimulatedNetwork::start(const Request& request, ResponseSink& sink) {
  ensure(!waiting_, "no request is started from a call-back");
  const auto id = ++last_id_;
  auto& transfer = transfers_.emplace(id, Transfer{request, &sink}).first->second;
  const auto arrival = clock_.now() + latency_least_ + rng_.up_to(latency_spread_);
  const auto found = servers_.find(request.url.origin());
  if (!online_) {
    end_at(id, transfer, arrival, {EndKind::no_network, "no network", 0});
  } else if (found == servers_.end()) {
    end_at(id, transfer, arrival, {EndKind::not_resolved, "no such name", 0});
  } else {
    transfer.server = found->second;
    schedule_for(id, arrival, &SimulatedNetwork::arrive);
  }
  return id;
}

void SimulatedNetwork::limit_rate(TransferId id, std::uint64_t rate_limit) {
  const auto found = transfers_.find(id);
  if (found != transfers_.end()) found->second.request.rate_limit = rate_limit;
}

std::uint64_t SimulatedNetwork::Transfer::rate() const {
  if (answer.rate == 0 || request.rate_limit == 0) return std::max(answer.rate, request.rate_limit);
  return std::min(answer.rate, request.rate_limit);
}

void SimulatedNetwork::cancel(TransferId id) {
  ensure(!waiting_, "no request is cancelled from a call-back");
  transfers_.erase(id);
}

void SimulatedNetwork::arrive(TransferId id, Transfer& transfer) {
  transfer.number = ++requests_;
  const auto& request = transfer.request;
  transfer.answer = transfer.server->answer(
      {request.method, request.url, request.headers, request.decoded, clock_.now(), transfer.number});
  const auto& answer = transfer.answer;
  ensure(answer.body.length == 0 || answer.body.fill, "a body that is sent has bytes");
  if (answer.silent) return;
  const auto time = clock_.now() + answer.delay;
  if (answer.fails) return end_at(id, transfer, time, {*answer.fails, "scripted", answer.proxy_status});
  schedule_for(id, time, &SimulatedNetwork::deliver_head);
}

void SimulatedNetwork::deliver_head(TransferId id, Transfer& transfer) {
  ++call_backs_;
  if (transfer.sink->on_head(transfer.answer.head) == Flow::stop) return finish(id, {EndKind::stopped});
  schedule_chunk(id, transfer);
}

std::uint64_t SimulatedNetwork::next_chunk(const Transfer& transfer) const {
  const auto& answer = transfer.answer;
  const auto end = std::min(answer.body.length, answer.cut_after.value_or(answer.body.length));
  const auto most =
      transfer.rate() == 0 ? chunk_max : std::clamp<std::uint64_t>(transfer.rate() / chunks_a_second, 1, chunk_max);
  return std::min(end - transfer.offset, most);
}

void SimulatedNetwork::schedule_chunk(TransferId id, Transfer& transfer) {
  const auto& answer = transfer.answer;
  const auto bytes = next_chunk(transfer);
  if (bytes > 0)
    return schedule_for(id, clock_.now() + time_for(bytes, transfer.rate()), &SimulatedNetwork::deliver_chunk);
  const bool is_cut = answer.cut_after && *answer.cut_after <= transfer.offset;
  if (!is_cut) return end_at(id, transfer, clock_.now(), {EndKind::complete});
  if (answer.cut_as) end_at(id, transfer, clock_.now(), {*answer.cut_as, "scripted", 0});
}

void SimulatedNetwork::deliver_chunk(TransferId id, Transfer& transfer) {
  buffer_.resize(next_chunk(transfer));
  transfer.answer.body.fill(transfer.offset, buffer_);
  transfer.offset += buffer_.size();
  transfer.server->sent(transfer.number, buffer_.size());
  ++call_backs_;
  if (transfer.sink->on_body(buffer_) == Flow::stop) return finish(id, {EndKind::stopped});
  schedule_chunk(id, transfer);
}

void SimulatedNetwork::finish(TransferId id, TransferEnd end) {
  auto& sink = *transfers_.at(id).sink;
  transfers_.erase(id);
  ++call_backs_;
  sink.on_end(end);
}

// Lets happen what is due, in order, until something was told to the client. Of what is due at the same moment all
// happens that was due when the first of it did, so that no transfer runs ahead of its siblings.
void SimulatedNetwork::happen_until(Instant deadline) {
  const auto before = call_backs_;
  auto newest = sequence_;
  while (!events_.empty() && events_.top().time <= deadline && !woken_) {
    const bool told = call_backs_ != before;
    if (told && (events_.top().time > clock_.now() || events_.top().sequence > newest)) return;
    if (!told) newest = sequence_;
    const auto event = events_.top();
    events_.pop();
    clock_.advance_to(std::max(event.time, clock_.now()));
    event.happen();
  }
  if (call_backs_ == before && !woken_ && deadline != Instant::max() && deadline > clock_.now())
    clock_.advance_to(deadline);
}

void SimulatedNetwork::wait_for_wake() {
  std::unique_lock lock(mutex_);
  const bool woken = wake_.wait_for(lock, wake_patience, [&] { return woken_.load(); });
  ensure(woken, "a client that waits for ever has something to wait for");
}

void SimulatedNetwork::wait_until(Instant deadline) {
  ensure(!waiting_, "one wait at a time");
  ++waits_;
  // Given back on an exception too: a simulated process may be ended inside a call-back.
  struct Waiting {
    explicit Waiting(bool& now) : flag(now) { flag = true; }
    ~Waiting() { flag = false; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    bool& flag;
  } const waiting(waiting_);
  if (deadline == Instant::max() && events_.empty() && !woken_) wait_for_wake();
  const bool woken = woken_.exchange(false);
  happen_until(woken ? clock_.now() : deadline);
  woken_ = false;
}

void SimulatedNetwork::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

}  // namespace arkvory::sim
