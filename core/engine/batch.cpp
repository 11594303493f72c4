// SPDX-License-Identifier: Apache-2.0
#include "core/engine/batch.h"

#include <algorithm>
#include <list>

#include "core/engine/download.h"

namespace arkvory {

namespace {

// Waits go in steps of at most a minute: timers don't count a machine's sleep, and clocks are set.
constexpr Duration kLongestStep = std::chrono::minutes(1);
// So many entries may end at once, before they begin, between two looks at the user's wish to stop.
constexpr int kSettledInARow = 256;

// What one run does. Each step goes to its end; only `run` waits.
class Batch {
 public:
  Batch(const Platform& platform, JobSource& jobs, unsigned at_once, bool keep_going)
      : platform_(platform), jobs_(jobs), at_once_(at_once), keep_going_(keep_going) {}

  BatchResult run() {
    while (true) {
      begin_jobs();
      const bool ended = advance_all();
      platform_.status.tick();
      if (const int signal = platform_.interrupt.signal(); signal != 0) {
        interrupt_all(signal);
        return std::move(result_);
      }
      if (running_.empty() && is_over_) return std::move(result_);
      const bool place_is_free = ended && !is_over_;
      if (place_is_free || (is_in_a_row_ && running_.empty())) continue;
      // Many entries that end at once don't keep from running what runs.
      platform_.transport.wait_until(is_in_a_row_ ? platform_.clock.now() : next_deadline());
    }
  }

 private:
  struct Running {
    Running(const Platform& platform, supply::Entry entry)
        : number(entry.number), download(platform, std::move(entry.job)) {}
    std::uint64_t number;
    Download download;
  };

  void begin_jobs() {
    is_in_a_row_ = false;
    for (int settled = 0; !is_over_ && running_.size() < at_once_;) {
      auto supply = jobs_.next();
      if (std::holds_alternative<supply::Later>(supply)) return;
      if (std::holds_alternative<supply::Over>(supply)) {
        is_over_ = true;
      } else if (auto* entry = std::get_if<supply::Entry>(&supply)) {
        running_.emplace_back(platform_, std::move(*entry));
        if (running_.size() > 1) platform_.digests.expect_many();
      } else {
        const auto& [target, outcome] = std::get<supply::Settled>(supply);
        platform_.status.finished(target, outcome);
        count(outcome);
        is_in_a_row_ = ++settled == kSettledInARow;
        if (is_in_a_row_) return;
      }
    }
  }

  // True where a download has ended.
  bool advance_all() {
    const auto before = running_.size();
    for (auto at = running_.begin(); at != running_.end();) {
      at->download.advance();
      if (!at->download.is_done()) {
        ++at;
        continue;
      }
      settle(*at);
      at = running_.erase(at);
    }
    return running_.size() < before;
  }

  void interrupt_all(int signal) {
    result_.signal = signal;
    for (auto& each : running_) {
      each.download.interrupt(signal);
      settle(each);
    }
  }

  void settle(const Running& ended) {
    const auto& outcome = ended.download.outcome();
    count(outcome);
    jobs_.ended(ended.number, ended.download.target(), outcome);
  }

  void count(const Outcome& outcome) {
    if (!outcome.error) {
      ++result_.succeeded;
      return;
    }
    ++result_.failed;
    if (!keep_going_) is_over_ = true;
    const auto fault = outcome.error->fault;
    const bool known = std::any_of(result_.failures.begin(), result_.failures.end(),
                                   [&](const Error& error) { return error.fault == fault; });
    if (!known) result_.failures.push_back(*outcome.error);
  }

  Instant next_deadline() const {
    auto deadline = platform_.clock.now() + std::min(kLongestStep, platform_.status.tick_interval());
    for (const auto& each : running_) deadline = std::min(deadline, each.download.next_deadline());
    return deadline;
  }

  const Platform& platform_;
  JobSource& jobs_;
  const unsigned at_once_;
  const bool keep_going_;
  BatchResult result_;
  std::list<Running> running_;
  bool is_over_ = false;      // no more jobs begin
  bool is_in_a_row_ = false;  // entries end without beginning, and there may be more of them at once
};

}  // namespace

BatchResult run_batch(const Platform& platform, JobSource& jobs, unsigned at_once, bool keep_going) {
  return Batch(platform, jobs, at_once, keep_going).run();
}

}  // namespace arkvory
