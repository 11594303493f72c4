// SPDX-License-Identifier: Apache-2.0
// Carries out the operator API (protocol.md §5): between requests, the store and what is in force. It looks every few
// seconds whether another process changed what is stored.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/http/exchange.h"
#include "server-stub/http/live_settings.h"
#include "server-stub/http/log.h"
#include "server-stub/http/operator_routes.h"
#include "server-stub/objects/worker_pool.h"
#include "server-stub/store/principals.h"
#include "server-stub/store/store.h"

namespace arkvory::server {

// What the store holds, or why that can't be known. Waits for it.
Result<UnderstoodSettings> stored_settings(SettingsStore& store, const SchedulerSettings& environment);

// On the I/O thread, but for what it hands to the workers: one job at a time, in the order of the requests, so that no
// older reading comes after a newer one.
class OperatorDesk {
 public:
  using Reply = std::function<void(Answer)>;

  struct Hooks {
    std::function<void(const SchedulerSettings&)> apply_settings;
    std::function<void(const Principals&)> apply_principals;
  };

  // `live` has looked into the store once already.
  OperatorDesk(boost::asio::io_context& io, WorkerPool& workers, Store& store, const Clock& clock, Log& log,
               LiveSettings& live, Principals in_file, Hooks hooks);

  // Reads the accounts, waiting for the store, and begins to look for changes.
  void start();
  // The principals file was read again.
  void take(Principals in_file);
  // `reply` is called once, never from within.
  void answer(const OperatorRequest& asked, const std::string& body, Reply reply);

 private:
  static constexpr Duration kLookEvery = std::chrono::seconds(5);  // seen within ten

  // `Work` on a worker, then `then` with what it returned here.
  template <typename Work, typename Then>
  void run(Work work, Then then);
  void run_next();
  void look_later();
  void look();

  void answer_settings(Reply reply);
  void change_settings(const OperatorRequest& asked, const std::string& body, Reply reply);
  void answer_account(const OperatorRequest& asked, Reply reply);
  void change_account(const OperatorRequest& asked, const std::string& body, Reply reply);
  Answer account_answer(const std::string& name) const;
  void reply_later(Answer answer, Reply reply);

  void take(const Result<UnderstoodSettings>& stored);
  void take(const Result<std::vector<AccountRecord>>& stored);
  void apply_accounts();
  void tell_applied();
  void tell_problem();

  boost::asio::io_context& io_;
  WorkerPool& workers_;
  Store& store_;
  const Clock& clock_;
  Log& log_;
  LiveSettings& live_;
  Principals in_file_;
  const Hooks hooks_;
  boost::asio::steady_timer timer_;
  std::map<std::string, AccountRecord> accounts_{};
  std::string told_problem_{};
  std::deque<std::function<void()>> jobs_{};
  bool is_busy_ = false;
};

}  // namespace arkvory::server
