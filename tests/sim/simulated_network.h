// SPDX-License-Identifier: Apache-2.0
// The Transport's twin: a network in virtual time. `wait_until` moves the clock to the next thing that happens, so a
// day of waiting takes no time, and the same script and seed give the same run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"
#include "core/http/transport.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory::sim {

// A request as it reaches a server.
struct SimRequest {
  Method method = Method::get;
  Url url;
  Headers headers;
  bool decoded = false;  // the client takes the content coding off
  Instant time;
  std::uint64_t number = 0;  // over all servers of the network, from 1
};

// Bytes made as they are sent, so that an object of gigabytes costs nothing.
struct SimBody {
  std::uint64_t length = 0;
  std::function<void(std::uint64_t offset, std::span<std::byte> bytes)> fill{};

  static SimBody of(std::string text);
};

// What a server does with one request.
struct SimAnswer {
  Duration delay{};                // from the request to the head (or to `fails`)
  std::optional<EndKind> fails{};  // no head: the request ends so
  int proxy_status = 0;            // with EndKind::proxy_refused
  bool silent = false;             // neither head nor end ever comes
  ResponseHead head{};
  SimBody body{};
  std::uint64_t rate = 0;                        // bytes a second; 0: as fast as the client takes them
  std::optional<std::uint64_t> cut_after{};      // body bytes after which the answer breaks off
  std::optional<EndKind> cut_as = EndKind::cut;  // nothing: it stays open and silent
};

class SimServer {
 public:
  virtual ~SimServer() = default;
  virtual SimAnswer answer(const SimRequest& request) = 0;
  // `bytes` more of the body of request `number` reached the client.
  virtual void sent(std::uint64_t number, std::uint64_t bytes) {
    static_cast<void>(number);
    static_cast<void>(bytes);
  }
};

class SimulatedNetwork final : public Transport {
 public:
  // The clock and the servers must outlive the network. The seed decides latencies only.
  SimulatedNetwork(VirtualClock& clock, std::uint64_t seed) : clock_(clock), rng_(seed) {}

  // The world. `origin` is an http(s) URL, of which scheme, host and port count. An origin without a server has no
  // address.
  void connect(std::string_view origin, SimServer& server);
  // From a request's start to its arrival: `least`, and up to `spread` more. At first 1 ms and none.
  void set_latency(Duration least, Duration spread);
  // Something of the world's own at a certain time, such as a server that goes or a clock that is set. It runs inside
  // `wait_until` and does not end it; it may call `wake`, and `start` and `cancel` of nothing.
  void at(Instant time, std::function<void()> happening);
  // Every running request to this origin ends so, now; nothing: they fall silent.
  void break_off(std::string_view origin, std::optional<EndKind> kind);
  // Without a network running requests are cut, and new ones end with EndKind::no_network.
  void set_online(bool online);
  std::size_t running() const { return transfers_.size(); }
  // How often `wait_until` was called.
  std::uint64_t waits() const { return waits_; }

  TransferId start(const Request& request, ResponseSink& sink) override;
  // Nothing comes faster than this from the next piece on.
  void limit_rate(TransferId id, std::uint64_t rate_limit) override;
  void cancel(TransferId id) override;
  // A deadline at the end of time with nothing to come waits, in real time, for another thread's `wake`.
  void wait_until(Instant deadline) override;
  void wake() override;

 private:
  struct Event {
    Instant time;
    std::uint64_t sequence;  // of two at the same time the earlier made one happens first
    std::function<void()> happen;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  struct Transfer {
    Request request;
    ResponseSink* sink;
    SimServer* server = nullptr;
    SimAnswer answer{};
    std::uint64_t number = 0;
    std::uint64_t offset = 0;
    std::uint64_t rate() const;  // the lower of the server's and the client's limit; 0: none
    bool is_ending = false;      // its end is decided; nothing else of it comes
  };

  void schedule(Instant time, std::function<void()> happen);
  void schedule_for(TransferId id, Instant time, void (SimulatedNetwork::*step)(TransferId, Transfer&));
  void end_at(TransferId id, Transfer& transfer, Instant time, TransferEnd end);
  void arrive(TransferId id, Transfer& transfer);
  void deliver_head(TransferId id, Transfer& transfer);
  void schedule_chunk(TransferId id, Transfer& transfer);
  void deliver_chunk(TransferId id, Transfer& transfer);
  void finish(TransferId id, TransferEnd end);
  std::uint64_t next_chunk(const Transfer& transfer) const;
  void happen_until(Instant deadline);
  void wait_for_wake();

  VirtualClock& clock_;
  Rng rng_;
  Duration latency_least_ = std::chrono::milliseconds(1);
  Duration latency_spread_{};
  std::map<std::string, SimServer*, std::less<>> servers_;
  std::map<TransferId, Transfer> transfers_;
  std::priority_queue<Event> events_;
  std::vector<std::byte> buffer_;
  std::uint64_t sequence_ = 0;
  std::uint64_t call_backs_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t waits_ = 0;
  TransferId last_id_ = 0;
  bool online_ = true;
  bool waiting_ = false;
  std::atomic<bool> woken_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
};

}  // namespace arkvory::sim
