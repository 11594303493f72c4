// SPDX-License-Identifier: Apache-2.0
// A few threads for work that may wait for the disk, so that the I/O thread never does.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"

namespace arkvory::server {

// Jobs begin in the order they came. The queue is bounded by its users: each connection has at most one job in it.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();  // drops what has not begun, waits for what has
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void run(std::function<void()> job);
  // Begins no further job and waits for those under way, at most so long. False where one still runs.
  bool finish(Duration most);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable job_came_;
  std::condition_variable job_ended_;
  std::deque<std::function<void()>> jobs_;
  std::size_t running_ = 0;
  bool is_finishing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace arkvory::server
