// SPDX-License-Identifier: Apache-2.0
// What the scheduler costs, with Google Benchmark, which reads its own flags:
//
//   bench_scheduler [--tiny] [--benchmark_filter=...]
//
// A tick with a hundred changes, and an answer (position and interval), for a thousand to a million who wait; the bytes
// that each of them takes; and a burst of work through the scheduler beside the same all at once. Ends with 1 where a
// figure is five times what is promised.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"
#include "server-stub/scheduler/scheduler.h"
#include "tests/bench/counted_memory.h"
#include "tests/bench/progress_order.h"

namespace arkvory::bench {
namespace {

using namespace server;

constexpr std::uint64_t kSize = 100 * kMiB;
constexpr std::size_t kChanges = 100;

enum class Rules { plain, all };  // `all`: reserve and shares as they are by default

// A line of `count` who are held: with `all` of every class, of 64 principals or more.
class Crowd {
 public:
  Crowd(std::size_t count, Rules rules) : scheduler_(settings(count, rules), SipKey{1, 2}, Instant()) {
    principals_ = std::max<std::size_t>(64, count / 1024);
    rules_ = rules;
    const auto before = allocated_now();
    for (std::size_t i = 0; i < count + kSeats; ++i) arrive();
    std::vector<Change> changes;
    scheduler_.settle(now_, changes);
    for (const auto& change : changes) std::erase(ids_, change.session);
    bytes_ = allocated_now() - before - static_cast<std::int64_t>(ids_.capacity() * sizeof(SessionId));
  }

  // Half of them leave, half come.
  void change(std::size_t changes) {
    for (std::size_t i = 0; i < changes / 2; ++i) {
      const auto at = rng_.below(ids_.size());
      scheduler_.vanish(ids_[at], now_);
      ids_[at] = ids_.back();
      ids_.pop_back();
    }
    for (std::size_t i = 0; i < changes / 2; ++i) arrive();
  }

  void tick() {
    now_ += kTick;
    std::vector<Change> changes;
    scheduler_.tick(now_, changes);
    scheduler_.settle(now_, changes);
  }

  std::size_t answer() {
    const auto outlook = scheduler_.outlook(ids_[rng_.below(ids_.size())], now_);
    return outlook.position + (outlook.start ? 1 : 0);
  }

  double bytes_each() const { return static_cast<double>(bytes_) / static_cast<double>(scheduler_.live()); }

 private:
  static constexpr std::size_t kSeats = 16;

  static SchedulerSettings settings(std::size_t count, Rules rules) {
    SchedulerSettings settings;
    settings.bandwidth = 125'000'000;
    settings.queue_limit = count + kSeats + kChanges;
    settings.aging = Duration(0);
    if (rules == Rules::plain) {
      settings.reserve = 0;
      settings.per_principal = 0;
    }
    return settings;
  }

  void arrive() {
    Arrival arrival;
    const auto number = next_++;
    std::memcpy(arrival.key.bytes.data(), &number, sizeof number);
    arrival.principal = "p" + std::to_string(rng_.below(principals_));
    arrival.is_anonymous = true;  // no limit on a principal's sessions
    arrival.download_class = rules_ == Rules::all ? static_cast<DownloadClass>(rng_.below(4)) : DownloadClass::bulk;
    arrival.size = kSize;
    arrival.wanted = ByteRange(0, kSize);
    ids_.push_back(std::get<SessionId>(scheduler_.arrive(arrival, now_)));
  }

  Rng rng_{1};
  Scheduler scheduler_;
  Rules rules_ = Rules::plain;
  std::size_t principals_ = 64;
  std::uint64_t next_ = 0;
  Instant now_{};
  std::vector<SessionId> ids_;  // of those who wait
  std::int64_t bytes_ = 0;
};

Crowd& crowd(std::size_t count, Rules rules) {
  static std::map<std::pair<std::size_t, Rules>, Crowd> crowds;
  return crowds.try_emplace({count, rules}, count, rules).first->second;
}

void tick(benchmark::State& state, Rules rules) {
  auto& those = crowd(static_cast<std::size_t>(state.range(0)), rules);
  for (auto _ : state) {
    those.change(kChanges);
    those.tick();
  }
  state.counters["bytes_each"] = those.bytes_each();
}

void answer(benchmark::State& state, Rules rules) {
  auto& those = crowd(static_cast<std::size_t>(state.range(0)), rules);
  for (auto _ : state) benchmark::DoNotOptimize(those.answer());
}

// Five times what is promised, in seconds.
struct Limit {
  std::string_view name;
  double seconds;
};
constexpr double kTooFar = 5;
constexpr Limit kLimits[]{{"tick/plain/65536", 200e-6},
                          {"answer/plain/65536", 3e-6},
                          {"tick/plain/1048576", 1e-3},
                          {"answer/plain/1048576", 10e-6}};
constexpr double kMostBytesEach = 256;

class Reporter : public benchmark::ConsoleReporter {
 public:
  Reporter() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const auto& run : runs) {
      const auto name = run.benchmark_name();
      const auto seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      for (const auto& limit : kLimits)
        if (name == limit.name && seconds > kTooFar * limit.seconds) complain(name, seconds, limit.seconds);
      const auto bytes = run.counters.find("bytes_each");
      if (bytes != run.counters.end() && bytes->second.value > kTooFar * kMostBytesEach)
        complain(name + ", bytes", bytes->second.value, kMostBytesEach);
    }
  }
  bool is_good() const { return is_good_; }

 private:
  void complain(const std::string& name, double is, double promised) {
    is_good_ = false;
    fmt::print(stderr, "{}: {} is more than five times {}\n", name, is, promised);
  }
  bool is_good_ = true;
};

}  // namespace

int run(int count, char** arguments) {
  bool is_tiny = false;
  std::vector<char*> rest;
  for (int i = 0; i < count; ++i) {
    if (std::string_view(arguments[i]) == "--tiny")
      is_tiny = true;
    else
      rest.push_back(arguments[i]);
  }
  auto left = static_cast<int>(rest.size());
  benchmark::Initialize(&left, rest.data());
  if (benchmark::ReportUnrecognizedArguments(left, rest.data())) return 2;
  for (const auto& [name, rules] : {std::pair("plain", Rules::plain), std::pair("all", Rules::all)}) {
    for (const int size : is_tiny ? std::vector{1024} : std::vector{1024, 8192, 65536, 1'048'576}) {
      auto* one = benchmark::RegisterBenchmark(fmt::format("tick/{}", name).c_str(), tick, rules)->Arg(size);
      auto* other = benchmark::RegisterBenchmark(fmt::format("answer/{}", name).c_str(), answer, rules)->Arg(size);
      if (!is_tiny) continue;
      one->Iterations(10);
      other->Iterations(10);
    }
  }
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const bool is_ordered = is_tiny ? progress_is_not_order(50, 20) : progress_is_not_order(1000, 1000);
  return reporter.is_good() && (is_ordered || is_tiny) ? 0 : 1;
}

}  // namespace arkvory::bench

int main(int count, char** arguments) { return arkvory::bench::run(count, arguments); }
