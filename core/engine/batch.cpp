// SPDX-License-Identifier: Apache-2.0
#include "core/engine/batch.h"

#include <algorithm>
#include <list>

#include "core/engine/download.h"

namespace arkvory {

namespace {

// Waits go in steps of at most a minute: timers don't count a machine's sleep, and clocks are set.
constexpr Duration kLongestStep = std::chrono::minutes(1);

void count(BatchResult& result, const Outcome& outcome) {
  if (!outcome.error) {
    ++result.succeeded;
    return;
  }
  const auto fault = outcome.error->fault;
  const bool known = std::any_of(result.failures.begin(), result.failures.end(),
                                 [&](const Error& error) { return error.fault == fault; });
  if (!known) result.failures.push_back(*outcome.error);
}

}  // namespace

BatchResult run_batch(const Platform& platform, JobSource& jobs, unsigned at_once, bool keep_going) {
  BatchResult result;
  std::list<Download> running;
  bool more = true;
  while (true) {
    while (more && running.size() < at_once) {
      auto job = jobs.next();
      if (!job) {
        more = false;
        break;
      }
      running.emplace_back(platform, std::move(*job));
    }
    if (running.empty()) return result;
    for (auto at = running.begin(); at != running.end();) {
      at->advance();
      if (!at->is_done()) {
        ++at;
        continue;
      }
      count(result, at->outcome());
      if (at->outcome().error && !keep_going) more = false;
      at = running.erase(at);
    }
    if (const int signal = platform.interrupt.signal(); signal != 0) {
      result.signal = signal;
      for (auto& download : running) {
        download.interrupt(signal);
        count(result, download.outcome());
      }
      return result;
    }
    if (running.empty() || (more && running.size() < at_once)) continue;
    auto deadline = platform.clock.now() + kLongestStep;
    for (const auto& download : running) deadline = std::min(deadline, download.next_deadline());
    platform.transport.wait_until(deadline);
  }
}

}  // namespace arkvory
