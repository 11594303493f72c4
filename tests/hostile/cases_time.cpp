// SPDX-License-Identifier: Apache-2.0
// Clocks that are set, processes that are stopped, and many clients at once.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"
#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace fs = std::filesystem;

namespace {

double seconds_after(Instant begin, Instant time) { return std::chrono::duration<double>(time - begin).count(); }

// Debian's libfaketime, where it is installed.
std::string faketime_library() {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib", none)) {
    const auto library = entry.path() / "faketime" / "libfaketime.so.1";
    if (fs::exists(library, none)) return library.string();
  }
  return {};
}

// The client's wall clock is a library's; durations stay the machine's.
bool use_faketime(Stage& stage) {
  const auto library = faketime_library();
  if (library.empty()) return false;
  stage.environment["LD_PRELOAD"] = library;
  stage.environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1";
  stage.environment["FAKETIME_NO_CACHE"] = "1";
  return true;
}

const Verdict kNoFaketime = Verdict::skipped("libfaketime is not installed");

// In Berlin at a moment, which is given in UTC because the local time may be that of two.
bool be_in_berlin(Stage& stage, const std::string& moment) {
  const auto ahead = *parse_rfc3339(moment) - SystemClock().wall_now();
  stage.environment["TZ"] = "Europe/Berlin";
  stage.environment["FAKETIME"] = fmt::format("{:+.3f}", std::chrono::duration<double>(ahead).count());
  return use_faketime(stage);
}

// With a window that is to open three seconds later.
Verdict play_window(Stage& stage, const std::string& moment) {
  if (!be_in_berlin(stage, moment)) return kNoFaketime;
  stage.site().answer_with(ok());
  return judge(stage, stage.run());
}

Case window(const std::string& id, const std::string& title, const std::string& moment) {
  return {.id = id,
          .title = title,
          .right = {.most_requests = 1, .least_time = 2, .most_time = 20},
          .options = {"--not-before", "02:15", "--not-after", "02:45"},
          .only_ours = true,
          .course = [moment](Stage& stage) { return play_window(stage, moment); }};
}

// In the second of two hours of one name the window of the first has passed.
Verdict play_second_hour(Stage& stage) {
  if (!be_in_berlin(stage, "2026-10-25T01:14:57Z")) return kNoFaketime;
  stage.site().answer_with(ok());
  const auto process = stage.start();
  const auto line = [&]() -> std::string {
    while (const auto text = process->read_line(seconds(10)))
      if (text->find("\"waiting\"") != std::string::npos) return *text;
    return {};
  }();
  process->kill(SIGKILL);
  process->wait();
  const auto event = nlohmann::json::parse(line, nullptr, false);
  const std::string until = event.is_object() ? event.value("checkAt", "") : "";
  return Verdict::of(until.starts_with("2026-10-26T01:15") ? "" : "waits until '" + until + "', expected the next day");
}

// Until ours has said that it waits; of the others nothing tells.
void let_it_wait(Stage& stage, test::Process& process) {
  if (stage.client().kind != Kind::ours) {
    process.wait(seconds(1));
    return;
  }
  while (const auto line = process.read_line(seconds(10)))
    if (line->find("\"waiting\"") != std::string::npos) return;
}

// The wall clock is set at two seconds of a wait of ten.
Verdict play_clock_set(Stage& stage, const std::string& offset) {
  if (!use_faketime(stage)) return kNoFaketime;
  const auto path = stage.beside("offset");
  put(path, "+0\n");
  stage.environment["FAKETIME_TIMESTAMP_FILE"] = path.string();
  stage.site().answer_with(first(1, status(503, fields({{"Retry-After", "10"}})), ok()));
  const auto process = stage.start();
  let_it_wait(stage, *process);
  process->wait(seconds(2));
  put(path, offset + "\n");
  return judge(stage, stage.finish(*process, 30));
}

Case clock_set(const std::string& id, const std::string& title, const std::string& offset) {
  return {.id = id,
          .title = title,
          .right = {.most_requests = 2, .least_time = 10, .most_time = 25},
          .only_ours = true,
          .course = [offset](Stage& stage) { return play_clock_set(stage, offset); }};
}

// Stopped as soon as it waits, for so long; asks at once when it goes on.
Verdict play_stop(Stage& stage, seconds time) {
  stage.site().answer_with(first(1, status(503, fields({{"Retry-After", "5"}})), ok()));
  const auto process = stage.start();
  let_it_wait(stage, *process);
  process->kill(SIGSTOP);
  process->wait(time);
  const auto going_on = SystemClock().now();
  process->kill(SIGCONT);
  const auto run = stage.finish(*process, 30);
  const auto verdict = judge(stage, run);
  if (!verdict.is_right || run.served.size() < 2) return verdict;
  const auto after = seconds_after(going_on, run.served[1].time);
  if (stage.client().kind != Kind::ours) return verdict;
  // What was left of the five seconds when it was stopped would be four at least.
  return Verdict::of(after >= 0 && after <= 3 ? "" : fmt::format("asks {:.2f} s after it goes on", after));
}

Case stopped(const std::string& id, seconds time) {
  const auto length = static_cast<double>(time.count());
  return {.id = id,
          .title = fmt::format("stopped for {} s while it waits", time.count()),
          .right = {.most_requests = 2, .least_time = length, .most_time = length + 20},
          .slow = time > seconds(10),
          .course = [time](Stage& stage) { return play_stop(stage, time); }};
}

// Stopped in the middle of a body for longer than the stall time-out: that was no stall of the server's.
Verdict play_stop_in_body(Stage& stage) {
  stage.site().answer_with([right = ok()](const Ask& ask) {
    auto answer = correct_answer(ask, {});
    const auto begin = std::min<std::size_t>(answer.body.size(), 2'000'000);
    const auto rest = std::vector(answer.body.begin() + static_cast<std::ptrdiff_t>(begin), answer.body.end());
    answer.cut_at = begin;
    send(answer, ask.wire);
    ask.wire.pause(seconds(2));
    ask.wire.send(rest);
  });
  const auto process = stage.start();
  process->wait(seconds(1));
  process->kill(SIGSTOP);
  process->wait(seconds(6));
  process->kill(SIGCONT);
  return judge(stage, stage.finish(*process, 30));
}

// Each download is told five seconds once.
Answer busy_once_for_each() {
  struct Seen {
    std::mutex mutex;
    std::set<std::string> ids;
  };
  return [seen = std::make_shared<Seen>(), busy = status(503, fields({{"Retry-After", "5"}})),
          right = ok()](const Ask& ask) {
    const std::string id(ask.request.headers.first("Arkvory-Download-Id").value_or(""));
    std::unique_lock lock(seen->mutex);
    const bool is_new = seen->ids.insert(id).second;
    lock.unlock();
    (is_new ? busy : right)(ask);
  };
}

Verdict play_crowd(Stage& stage) {
  constexpr int kClients = 50;
  stage.site().answer_with(busy_once_for_each());
  std::vector<std::unique_ptr<test::Process>> clients;
  for (int i = 0; i < kClients; ++i) {
    stage.wish.target = fmt::format("out-{}.bin", i);
    stage.wish.state = stage.beside(fmt::format("state-{}", i)).string();
    clients.push_back(stage.start());
  }
  Run run;
  for (auto& client : clients) {
    run = stage.finish(*client, 40);
    if (!run.end || run.end->exit_code != 0) return Verdict::of("one of the crowd fails: " + run.errors);
  }
  for (int i = 0; i < kClients; ++i)
    if (!equals(stage.file(fmt::format("out-{}.bin", i)), stage.object().bytes)) return Verdict::of("wrong bytes");
  std::map<std::string, Instant> asked;
  std::vector<Instant> arrivals;
  for (const auto& one : run.served) {
    const std::string id(one.request.headers.first("Arkvory-Download-Id").value_or(""));
    const auto [place, is_new] = asked.emplace(id, one.time);
    if (is_new) continue;
    const auto waited = seconds_after(place->second, one.time);
    if (waited < 5) return Verdict::of(fmt::format("one comes back after {:.2f} s, told 5", waited));
    arrivals.push_back(one.time);
  }
  if (arrivals.size() != kClients)
    return Verdict::of(fmt::format("{} come back, expected {}", arrivals.size(), kClients));
  const auto [earliest, latest] = std::minmax_element(arrivals.begin(), arrivals.end());
  const auto spread = seconds_after(*earliest, *latest);
  return Verdict::of(spread >= 1 ? "" : fmt::format("all come back within {:.2f} s", spread));
}

}  // namespace

std::vector<Case> time_cases() {
  return {
      window("A11a", "02:15 of a day without that hour is 03:00", "2026-03-29T00:59:57Z"),
      window("A11b", "02:15 of a day with two of them is the first", "2026-10-25T00:14:57Z"),
      {.id = "A11c",
       .title = "the window of a doubled hour comes once",
       .options = {"--not-before", "02:15", "--not-after", "02:45"},
       .only_ours = true,
       .course = play_second_hour},
      clock_set("A12a", "the clock is set an hour ahead while it waits", "+3600"),
      clock_set("A12b", "the clock is set an hour back while it waits", "-3600"),
      {.id = "A12c",
       .title = "--not-before follows the clock as it is set",
       .elsewhere = "tests/sim/window_test.cpp: --not-before follows the wall clock as it is set"},
      stopped("A13a", seconds(7)),
      stopped("A13b", seconds(20)),
      {.id = "A13c",
       .title = "stopped in a body for longer than the stall time-out",
       .right = {.most_requests = 1},
       .options = {"--stall-timeout", "4s"},
       .course = play_stop_in_body},
      {.id = "A17", .title = "fifty clients are told the same time", .only_ours = true, .course = play_crowd},
  };
}

}  // namespace arkvory::hostile
