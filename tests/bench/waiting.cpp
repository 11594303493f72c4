// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/waiting.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/rfc3339.h"
#include "tests/support/process.h"
#include "tests/support/raw_origin.h"
#include "tests/support/temp_folder.h"
#include "tests/support/usage.h"

namespace arkvory::bench {

namespace {

constexpr int kOften = 5;
constexpr int kSeldom = 3600;

// Always busy, with a place that never changes, however it is asked.
void answer_busy(test::RawConnection& connection, int retry_after) {
  const auto body = std::string(R"({"code":"busy","reason":"download_queued","position":312})");
  Headers headers;
  headers.add("Retry-After", std::to_string(retry_after));
  headers.add("Arkvory-Queue-Position", "312");
  headers.add("Arkvory-Queue-Ticket", "2.a.b.c");
  headers.add("Arkvory-Starts-At", format_rfc3339(SystemClock().wall_now() + std::chrono::hours(1)));
  headers.add("Content-Type", "application/problem+json");
  headers.add("Content-Length", std::to_string(body.size()));
  connection.send_head(503, headers);
  connection.send(body);
}

class Waiter {
 public:
  Waiter(const std::string& client, int retry_after, const std::vector<std::string>& more = {})
      : origin_([retry_after](const test::RawRequest&, test::RawConnection& connection) {
          answer_busy(connection, retry_after);
        }),
        process_(command(client, more), options()) {}

  // It has been told to wait: what it costs to begin is left out.
  bool is_waiting() {
    if (!origin_.wait_for_requests(1) || !process_.read_error_line(kPatience) || !process_.read_error_line(kPatience))
      return false;
    // Its first answer is recorded on disk by then, or soon: a moment more.
    process_.wait(std::chrono::milliseconds(500));
    begin_ = test::usage_of(process_.pid());
    polls_before_ = origin_.served().size();
    return true;
  }
  bool still_waits(std::chrono::milliseconds duration) { return !process_.wait(duration); }
  void note() {
    end_ = test::usage_of(process_.pid());
    polls_ = origin_.served().size() - polls_before_;
  }
  bool stops() {
    process_.kill(SIGTERM);
    return process_.wait(kPatience).has_value();
  }

  std::uint64_t polls() const { return polls_; }
  test::Usage used() const {
    return {end_.on_cpu - begin_.on_cpu, end_.wake_ups - begin_.wake_ups, end_.switches - begin_.switches};
  }

 private:
  static constexpr std::chrono::seconds kPatience{20};

  std::vector<std::string> command(const std::string& client, const std::vector<std::string>& more) const {
    std::vector<std::string> words{client, "download", origin_.url("/file"), "--progress", "plain"};
    for (const auto& [option, name] : {std::pair{"-o", "out.bin"}, {"--state-dir", "state"}}) {
      words.emplace_back(option);
      words.push_back((folder_.path() / name).string());
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static test::ProcessOptions options() {
    test::ProcessOptions how;
    how.environment = {{"no_proxy", "127.0.0.1"}};
    return how;
  }

  test::TempFolder folder_;
  test::RawOrigin origin_;
  test::Process process_;
  test::Usage begin_;
  test::Usage end_;
  std::size_t polls_before_ = 0;
  std::uint64_t polls_ = 0;
};

void print(const char* who, const Waiter& waiter, double hours) {
  const auto used = waiter.used();
  const auto per_hour = [hours](std::uint64_t count) { return static_cast<double>(count) / hours; };
  std::puts(fmt::format("{:<28} {:>8.0f} {:>12.3f} {:>12.0f} {:>12.0f}", who, per_hour(waiter.polls()),
                        per_hour(used.on_cpu) / 1e9, per_hour(used.wake_ups), per_hour(used.switches))
                .c_str());
}

}  // namespace

int run_waiting(const std::string& client, Duration duration) {
  Waiter often(client, kOften);
  Waiter seldom(client, kSeldom, {"--wait-limit", "1000h"});
  if (!often.is_waiting() || !seldom.is_waiting()) {
    std::fputs("bench: a client did not begin to wait\n", stderr);
    return 1;
  }
  const SystemClock clock;
  const auto begun = clock.now();
  const bool waited = often.still_waits(std::chrono::ceil<std::chrono::milliseconds>(duration));
  if (!waited || !seldom.still_waits({})) {
    std::fputs("bench: a client did not go on waiting\n", stderr);
    return 1;
  }
  often.note();
  seldom.note();
  const auto elapsed = clock.now() - begun;
  const auto hours = std::chrono::duration<double, std::ratio<3600>>(elapsed).count();
  if (!often.stops() || !seldom.stops()) return 1;

  std::puts(fmt::format("waiting for {:.0f} s, figures per hour", hours * 3600).c_str());
  std::puts(fmt::format("{:<28} {:>8} {:>12} {:>12} {:>12}", "asked to come back", "polls", "CPU seconds", "wake-ups",
                        "switches")
                .c_str());
  print("every 5 s", often, hours);
  print("in an hour", seldom, hours);
  // One wake-up more may fall into so short a look than into an hour.
  const auto allowed = static_cast<std::uint64_t>(elapsed / std::chrono::minutes(1)) + 1;
  const auto beyond = seldom.used().wake_ups;
  std::puts(fmt::format("beyond its polls: {} wake-ups, at most {} allowed", beyond, allowed).c_str());
  return beyond <= allowed ? 0 : 1;
}

}  // namespace arkvory::bench
