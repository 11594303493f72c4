// SPDX-License-Identifier: Apache-2.0
// Keeps the queue desk going: the tick (L2), the ticket key and the note that tickets are issued (protocol.md §4, T1).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "server-stub/http/log.h"
#include "server-stub/http/queue_desk.h"
#include "server-stub/http/readiness.h"
#include "server-stub/objects/worker_pool.h"
#include "server-stub/store/key_store.h"

namespace arkvory::server {

// Until when nobody is granted a seat, because tickets were issued shortly before this process began (T1). Waits for
// the store.
std::optional<Instant> end_of_grace(KeyStore& keys, const Clock& clock, Duration grace);

// On the I/O thread, but for what it hands to the workers.
class DeskDriver {
 public:
  DeskDriver(boost::asio::io_context& io, WorkerPool& workers, QueueDesk& desk, KeyStore& keys, const Clock& clock,
             Log& log);

  // Gets the key, waiting for the store, and begins to tick.
  void start(std::function<void()> after_tick);

  Duration last_tick() const { return last_tick_; }
  const Histogram& ticks() const { return ticks_; }
  // What is wrong with the store, with its path; empty where nothing is.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr Duration kLookForKeyEvery = std::chrono::seconds(30);  // protocol.md §4
  static constexpr Duration kLongTick = std::chrono::milliseconds(50);    // L2

  void wait(Duration pause);
  void tick();
  void look_for_key();
  void note_issued();
  void on_key(const Result<TicketKey>& key);
  void on_noted(const Result<void>& noted);
  void tell_problem(const Error& error);

  boost::asio::io_context& io_;
  WorkerPool& workers_;
  QueueDesk& desk_;
  KeyStore& keys_;
  const Clock& clock_;
  Log& log_;
  boost::asio::steady_timer timer_;
  std::function<void()> after_tick_{};
  Duration last_tick_{0};
  Histogram ticks_;
  Instant key_looked_for_{};
  bool is_store_busy_ = false;  // one job at a time
  bool has_noted_ = false;
  std::string problem_;
};

}  // namespace arkvory::server
