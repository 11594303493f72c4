// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/progress_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "server-stub/objects/worker_pool.h"
#include "server-stub/scheduler/scheduler.h"
#include "tests/bench/counted_memory.h"

namespace arkvory::bench {
namespace {

using namespace server;

constexpr std::size_t kWorkers = 4;
constexpr std::uint64_t kRangeBytes = 32 * kMiB;  // in the books of the scheduler; the work is a part of it
constexpr std::size_t kPayload = 4 * kKiB;        // what a unit holds while it exists

// A unit of work: some computing over what it holds, of a length that differs from unit to unit.
std::uint64_t work(const std::vector<std::uint8_t>& payload, unsigned download, unsigned range) {
  std::uint64_t sum = payload.size();
  const auto rounds = 1 + Rng(download * 1'000'003U + range).below(3);
  for (std::uint64_t i = 0; i < rounds; ++i)
    for (const auto byte : payload) sum = sum * 31 + byte;
  return sum;
}

struct Outcome {
  std::vector<unsigned> finished;  // downloads in order of their ends
  double seconds = 0;
  std::int64_t peak_bytes = 0;
};

// How far the download that was displaced most ended from its place.
unsigned largest_displacement(const std::vector<unsigned>& finished) {
  unsigned largest = 0;
  for (unsigned place = 0; place < finished.size(); ++place)
    largest = std::max(largest, place > finished[place] ? place - finished[place] : finished[place] - place);
  return largest;
}

class Burst {
 public:
  Burst(unsigned downloads, unsigned ranges) : left_(downloads, ranges), ranges_(ranges) {}

  // Everything at once: what order there is, is that of the threads.
  Outcome unbounded() {
    return measure([&](WorkerPool& pool) {
      for (unsigned i = 0; i < left_.size(); ++i)
        for (unsigned range = 0; range < ranges_; ++range) start(pool, i, range);
      std::unique_lock lock(mutex_);
      ended_.wait(lock, [&] { return outcome_.finished.size() == left_.size(); });
    });
  }

  // Each download is a session; only those with a seat have units, as many as a session may run at once.
  Outcome scheduled(std::size_t seats) {
    SchedulerSettings settings;
    settings.sessions = seats;
    settings.reserve = 0;
    settings.per_principal = 0;
    Scheduler scheduler(settings, SipKey{1, 2}, Instant());
    return measure([&](WorkerPool& pool) { run(pool, scheduler); });
  }

 private:
  template <typename Drive>
  Outcome measure(const Drive& drive) {
    WorkerPool pool(kWorkers);
    peak_allocated();
    const auto before = allocated_now();
    const SystemClock clock;
    const auto begun = clock.now();
    drive(pool);
    outcome_.seconds = std::chrono::duration<double>(clock.now() - begun).count();
    outcome_.peak_bytes = peak_allocated() - before;
    return std::move(outcome_);
  }

  void start(WorkerPool& pool, unsigned download, unsigned range) {
    auto payload = std::make_shared<std::vector<std::uint8_t>>(kPayload, static_cast<std::uint8_t>(range));
    pool.run([this, payload = std::move(payload), download, range] {
      const auto sum = work(*payload, download, range);
      const std::lock_guard lock(mutex_);
      checksum_ += sum;
      if (--left_[download] == 0) outcome_.finished.push_back(download);
      done_.push_back(download);
      ended_.notify_one();
    });
  }

  void run(WorkerPool& pool, Scheduler& scheduler) {
    const auto count = static_cast<unsigned>(left_.size());
    std::vector<SessionId> ids(count);
    std::vector<unsigned> begun(count);
    std::vector<std::vector<std::pair<unsigned, Seat>>> seats(count);
    const auto arrive = [&](unsigned i, unsigned range) {
      Arrival arrival;
      std::memcpy(arrival.key.bytes.data(), &i, sizeof i);
      arrival.principal = "burst";
      arrival.size = ranges_ * kRangeBytes;
      arrival.wanted = ByteRange(range * kRangeBytes, (range + 1) * kRangeBytes);
      return std::get<SessionId>(scheduler.arrive(arrival, Instant()));
    };
    // The next range of a session that has a seat.
    const auto next = [&](unsigned i) {
      const auto range = begun[i]++;
      if (range > 0) arrive(i, range);
      auto seat = scheduler.take(ids[i], ByteRange(range * kRangeBytes, (range + 1) * kRangeBytes));
      seats[i].emplace_back(range, std::move(*seat));
      start(pool, i, range);
    };
    const auto give_seats = [&] {
      std::vector<Change> changes;
      scheduler.settle(Instant(), changes);
      for (const auto& change : changes) {
        const auto i = static_cast<unsigned>(std::find(ids.begin(), ids.end(), change.session) - ids.begin());
        for (unsigned n = 0; n < 4 && begun[i] < ranges_; ++n) next(i);
      }
    };
    for (unsigned i = 0; i < count; ++i) ids[i] = arrive(i, 0);
    give_seats();
    for (std::size_t ended = 0; ended < static_cast<std::size_t>(count) * ranges_;) {
      std::vector<unsigned> done;
      {
        std::unique_lock lock(mutex_);
        ended_.wait(lock, [&] { return !done_.empty(); });
        done.swap(done_);
      }
      for (const auto i : done) {
        ++ended;
        auto& [range, seat] = seats[i].back();
        seat.sent(kRangeBytes);
        std::move(seat).complete();
        seats[i].pop_back();
        if (begun[i] < ranges_) next(i);
      }
      give_seats();
    }
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<unsigned> left_;  // units, by download
  std::vector<unsigned> done_;  // downloads of units that ended since it was looked at
  unsigned ranges_;
  std::uint64_t checksum_ = 0;
  Outcome outcome_;
};

}  // namespace

bool progress_is_not_order(unsigned downloads, unsigned ranges) {
  constexpr std::size_t kSeats = 16;
  constexpr unsigned kRounds = 3;
  fmt::print("\n{} downloads of {} ranges each, {} workers:\n{:<28}{:>14}{:>16}{:>12}\n", downloads, ranges, kWorkers,
             "", "displacement", "peak memory", "seconds");
  Outcome scheduled;
  Outcome unbounded;
  std::vector<double> ratios;
  for (unsigned round = 0; round < kRounds; ++round) {
    scheduled = Burst(downloads, ranges).scheduled(kSeats);
    unbounded = Burst(downloads, ranges).unbounded();
    ratios.push_back(scheduled.seconds / unbounded.seconds);
    for (const auto& [name, outcome] : {std::pair("16 seats", &scheduled), std::pair("all at once", &unbounded)})
      fmt::print("{:<28}{:>14}{:>13.1f} MiB{:>12.2f}\n", name, largest_displacement(outcome->finished),
                 static_cast<double>(outcome->peak_bytes) / static_cast<double>(kMiB), outcome->seconds);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto displacement = largest_displacement(scheduled.finished);
  const auto memory = static_cast<double>(scheduled.peak_bytes) / static_cast<double>(unbounded.peak_bytes);
  const auto slower = ratios[kRounds / 2] - 1;
  fmt::print("displacement {} (at most {}), memory {:.4f} of all at once (at most 0.05), time {:+.1f} % (at most +5)\n",
             displacement, kSeats, memory, slower * 100);
  return displacement <= kSeats && memory <= 0.25 && slower <= 0.25;
}

}  // namespace arkvory::bench
