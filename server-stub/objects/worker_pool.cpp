// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/worker_pool.h"

#include <utility>

namespace arkvory::server {

WorkerPool::WorkerPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  finish(Duration::zero());
  for (auto& thread : threads_) thread.join();
}

void WorkerPool::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (is_finishing_) return;
  jobs_.push_back(std::move(job));
  job_came_.notify_one();
}

bool WorkerPool::finish(Duration most) {
  std::deque<std::function<void()>> dropped;  // destroyed without the lock
  std::unique_lock lock(mutex_);
  is_finishing_ = true;
  dropped.swap(jobs_);
  job_came_.notify_all();
  return job_ended_.wait_for(lock, most, [this] { return running_ == 0; });
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    job_came_.wait(lock, [this] { return is_finishing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    running_ += 1;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    running_ -= 1;
    job_ended_.notify_all();
  }
}

}  // namespace arkvory::server
