// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/hostile/object.h"

namespace arkvory::hostile {

namespace {

// An answer of so little has no bytes of the object in it worth asking for.
constexpr std::uint64_t kNextToNothing = 2048;
// What heads cost, and what was on its way.
constexpr std::uint64_t kAllowance = 64UL * 1024;

int most_in_a_second(std::vector<Instant> times) {
  std::sort(times.begin(), times.end());
  std::size_t most = 0;
  for (std::size_t first = 0, last = 0; last < times.size(); ++last) {
    while (times[last] - times[first] >= seconds(1)) ++first;
    most = std::max(most, last - first + 1);
  }
  return static_cast<int>(most);
}

std::string hammering(const Run& run, int burst) {
  std::vector<Instant> vain;
  for (const auto& one : run.served)
    if (one.bytes_sent < kNextToNothing) vain.push_back(one.time);
  const int requests = most_in_a_second(vain);
  if (requests > burst) return fmt::format("hammers: {} vain requests within a second", requests);
  const int connections = most_in_a_second(run.accepted);
  if (connections > burst + 8) return fmt::format("hammers: {} connections within a second", connections);
  return {};
}

std::string last_words(const Run& run) {
  const auto results = events(run, "result");
  if (!results.empty()) return results.back().value("message", "");
  auto text = run.errors;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// What every case promises of every client.
Verdict promises(const Case& one, const Run& run) {
  if (!run.end) return Verdict::of(Ending::hangs, fmt::format("hangs: still there after {:.0f} s", run.time));
  if (run.end->signal != 0) return Verdict::of(fmt::format("ended by signal {}", run.end->signal));
  if (run.end->exit_code == 0 && !run.is_right)
    return Verdict::of(Ending::wrong_bytes, run.names.empty() ? "exit 0 without a file" : "exit 0 with wrong bytes");
  const auto hammers = hammering(run, one.right.burst);
  return hammers.empty() ? Verdict() : Verdict::of(Ending::hammers, hammers);
}

bool contains_ignoring_case(const std::string& text, const std::string& word) {
  const auto equal = [](unsigned char left, unsigned char right) { return std::tolower(left) == std::tolower(right); };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), equal) != text.end();
}

std::string bounds(const Right& right, const Run& run) {
  const auto requests = static_cast<int>(run.served.size());
  if (requests < right.fewest_requests) return fmt::format("{} requests, expected {}", requests, right.fewest_requests);
  if (requests > right.most_requests) return fmt::format("{} requests, allowed {}", requests, right.most_requests);
  if (run.bytes_sent() > right.most_bytes)
    return fmt::format("{} bytes sent, allowed {}", run.bytes_sent(), right.most_bytes);
  if (run.time < right.least_time) return fmt::format("{:.2f} s, expected {:.2f}", run.time, right.least_time);
  if (run.time > right.most_time) return fmt::format("{:.2f} s, allowed {:.2f}", run.time, right.most_time);
  const auto gaps = run.gaps();
  for (std::size_t i = 1; i < gaps.size(); ++i)
    if (gaps[i] < right.gap)
      return fmt::format("asks again after {:.2f} s, not before {:.2f} (request {})", gaps[i], right.gap, i + 1);
  for (const auto& word : right.says)
    if (!contains_ignoring_case(run.output + run.errors, word)) return fmt::format("does not say '{}'", word);
  return right.also ? right.also(run) : std::string();
}

// That what the record claims is in the part file.
std::string wrong_claim(const Claim& claim, const Object& object) {
  const auto text = text_of(claim.part);
  for (const auto& range : claim.synced.ranges()) {
    if (range.end() > object.size() || range.end() > text.size()) return "the record claims bytes that are not there";
    if (std::memcmp(text.data() + range.begin(), object.bytes.data() + range.begin(), range.length()) != 0)
      return fmt::format("the part file has other bytes within {}", range.to_header());
  }
  return {};
}

std::string judge_kept(Stage& stage) {
  const auto& right = stage.one().right;
  const auto target = stage.file(stage.one().target);
  if (stage.last.has_target) return "failed, but the target is there";
  const auto claim = claim_of(target);
  const auto held = claim ? claim->synced.total() : 0;
  if (held < right.kept) return fmt::format("loses what was held: {} bytes of {}", held, right.kept);
  if (claim)
    if (auto wrong = wrong_claim(*claim, stage.object()); !wrong.empty()) return wrong;
  if (!right.tried_again) return {};

  // What was wrong with this machine is over.
  stage.wrapper.clear();
  stage.environment.erase("LD_PRELOAD");
  stage.site().answer_with(ok());
  const auto failed = stage.last;
  const auto again = stage.run();
  stage.last = failed;
  if (!again.end || again.end->exit_code != 0 || !again.is_right)
    return fmt::format("the next run does not finish: {}", last_words(again));
  const auto allowed = stage.object().size() - held + kAllowance;
  if (again.bytes_sent() > allowed)
    return fmt::format("the next run fetches {} bytes, {} were left", again.bytes_sent(), allowed - kAllowance);
  return {};
}

std::string judge_whole(const Case& one, const Run& run) {
  auto expected = one.right.names;
  if (expected.empty() && one.target.empty()) return {};
  if (expected.empty()) expected = {one.target};
  if (run.names == expected) return {};
  std::string all;
  for (const auto& name : run.names) all += (all.empty() ? "" : ", ") + name;
  return "files left: " + all;
}

std::string particulars(Stage& stage, const Run& run) {
  const auto& one = stage.one();
  const int code = run.end->exit_code;
  const auto& exits = one.right.exits;
  if (std::find(exits.begin(), exits.end(), code) == exits.end())
    return fmt::format("exit {}, expected {}: {}", code, fmt::join(exits, " or "), last_words(run));
  if (auto wrong = bounds(one.right, run); !wrong.empty()) return wrong;
  return code == 0 ? judge_whole(one, run) : judge_kept(stage);
}

// Of others nothing is known but how it ended: with the right bytes, or with a failure where it had to.
Verdict judge_other(const Stage& stage, const Run& run) {
  const auto& exits = stage.one().right.exits;
  if (run.end->exit_code == 0) return Verdict::of(Ending::right, "right");
  const auto how = fmt::format("exit {}", run.end->exit_code);
  if (std::find(exits.begin(), exits.end(), 0) != exits.end())
    return Verdict::of(Ending::without_need, "fails without need, " + how);
  return Verdict::of(Ending::right, "fails, as it should, " + how);
}

}  // namespace

Verdict judge(Stage& stage, const Run& run) {
  auto verdict = promises(stage.one(), run);
  if (verdict.is_right && stage.client().kind == Kind::ours) return Verdict::of(particulars(stage, run));
  return verdict.is_right ? judge_other(stage, run) : verdict;
}

}  // namespace arkvory::hostile
