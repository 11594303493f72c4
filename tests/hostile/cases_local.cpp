// SPDX-License-Identifier: Apache-2.0
// What is on this machine: part files and records somebody meddled with, locks, digests, logs, secrets.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "tests/hostile/cases.h"
#include "tests/hostile/judge.h"
#include "tests/hostile/stage.h"

namespace arkvory::hostile {

namespace fs = std::filesystem;

namespace {

// The file in which this client keeps what came.
fs::path part_of(const Stage& stage) {
  return stage.file(stage.client().kind == Kind::ours ? "out.bin.arkvory-part" : "out.bin");
}

void flip_a_byte(Stage& stage) {
  std::fstream file(part_of(stage), std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(1000);
  const int byte = file.get();
  file.seekp(1000);
  file.put(static_cast<char>(byte ^ 0x55));
}

Case meddled(const std::string& id, const std::string& title, std::uint64_t most_bytes,
             std::function<void(Stage&)> before) {
  return {.id = id,
          .title = title,
          .right = {.most_bytes = most_bytes + kSlack},
          .part = Part{kHalf},
          .before = std::move(before)};
}

Verdict play_second_process(Stage& stage) {
  stage.site().answer_with(cut(1000, Break::stall));
  const auto holder = stage.start();
  // The target is locked before anything is asked for, and the holder's answer stands still: it can't be done before.
  if (!stage.site().origin().wait_for_requests(1)) return Verdict::of("the holder asks for nothing");
  const auto run = stage.run();
  if (!run.end || run.end->exit_code != 8)
    return Verdict::of(fmt::format("exit {}, expected 8", run.end ? run.end->exit_code : -1));
  const auto pid = std::to_string(holder->pid());
  return Verdict::of((run.output + run.errors).find(pid) != std::string::npos ? "" : "does not say who has it");
}

Verdict play_wrong_digest(Stage& stage) {
  if (!checks_digests(stage.client())) return Verdict::skipped("checks no digest");
  stage.wish.sha256 = other_object().sha256;
  for (int i = 0; i < 2; ++i) {
    stage.site().answer_with(ok());
    const auto run = stage.run();
    if (stage.client().kind != Kind::ours) {
      const bool told = run.end && run.end->exit_code != 0;
      return told ? Verdict::of(Ending::right, "fails, as it should")
                  : Verdict::of(Ending::wrong_bytes, "exit 0 with bytes of another digest");
    }
    if (!run.end || run.end->exit_code != 7)
      return Verdict::of(fmt::format("run {}: exit {}, expected 7", i + 1, run.end ? run.end->exit_code : -1));
    if (run.has_target) return Verdict::of("the target is there");
    if (run.bytes_sent() > 2 * kSmall + kSlack)
      return Verdict::of(fmt::format("run {} fetches {} bytes", i + 1, run.bytes_sent()));
  }
  return {};
}

Verdict play_batch(Stage& stage) {
  stage.site().answer_with(
      by_path({{"/missing", status(404)}, {"/busy", status(503, fields({{"Retry-After", "30"}}))}}, ok()));
  auto& options = stage.wish.options;
  stage.wish.target.clear();
  stage.wish.sha256.clear();
  options = {"-d", stage.files().string(),       "--keep-going",           "--wait-limit",
             "2s", stage.site().url("/missing"), stage.site().url("/busy")};
  stage.wish.url = stage.site().url("/out.bin");
  const auto run = stage.run();
  if (!run.end || run.end->exit_code != 14)
    return Verdict::of(fmt::format("exit {}, expected 14: {}", run.end ? run.end->exit_code : -1, run.errors));
  if (!run.is_right) return Verdict::of("the good one of the three is not there");
  std::vector<int> ends;
  for (const auto& result : events(run, "result")) ends.push_back(result.value("exit", -1));
  std::sort(ends.begin(), ends.end());
  return Verdict::of(ends == std::vector<int>{0, 3, 6} ? ""
                                                       : fmt::format("the three end with {}", fmt::join(ends, ", ")));
}

// The whole object in so much time.
Answer slow(seconds time) {
  return [time](const Ask& ask) {
    const auto answer = correct_answer(ask, {});
    ask.wire.send_head(answer.status, answer.headers);
    auto left = std::span(answer.body);
    const auto piece = left.size() / 100 + 1;
    while (!left.empty() && ask.wire.is_open()) {
      ask.wire.send(left.first(std::min(piece, left.size())));
      left = left.subspan(std::min(piece, left.size()));
      ask.wire.pause(milliseconds(time) / 100);
    }
  };
}

std::string quiet_log(const Run& run) {
  const auto lines = std::count(run.errors.begin(), run.errors.end(), '\n');
  const auto allowed = static_cast<std::ptrdiff_t>(run.time / 10) + 3;
  if (lines > allowed) return fmt::format("{} lines in {:.0f} s, allowed {}", lines, run.time, allowed);
  const auto is_control = [](unsigned char byte) { return byte < 0x20 && byte != '\n'; };
  return std::any_of(run.errors.begin(), run.errors.end(), is_control) ? "control characters in a log" : "";
}

Case log_of(const std::string& id, seconds time) {
  const auto longest = static_cast<double>(time.count());
  return {.id = id,
          .title = fmt::format("a slow download of {} s, told to a log", time.count()),
          .server = slow(time),
          .right = {.least_time = longest - 1, .most_time = longest + 15, .also = quiet_log},
          .plain = true,
          .slow = time > seconds(20),
          .only_ours = true};
}

Verdict play_newer_format(Stage& stage) {
  if (auto wrong = stage.play_part({kHalf}); !wrong.empty()) return Verdict::of(wrong);
  const auto path = stage.file("out.bin.arkvory");
  auto text = text_of(path);
  const auto at = text.find("\"format\": ");
  if (at == std::string::npos) return Verdict::of("the checkpoint tells no format");
  text.replace(at, text.find(',', at) - at, "\"format\": 99");
  put(path, text);
  stage.site().answer_with(ok());
  const auto run = stage.run();
  if (!run.end || run.end->exit_code != 13)
    return Verdict::of(fmt::format("exit {}, expected 13", run.end ? run.end->exit_code : -1));
  if (text_of(path) != text) return Verdict::of("the newer checkpoint was touched");
  const bool told = (run.output + run.errors).find("newer") != std::string::npos;
  return Verdict::of(told ? "" : "does not say that the checkpoint is newer");
}

Verdict play_changed_token(Stage& stage) {
  const auto path = stage.beside("token");
  put(path, "first-secret\n");
  chmod(path.c_str(), 0600);
  stage.wish.options = {"--token-file", path.string()};
  if (auto wrong = stage.play_part({kHalf}); !wrong.empty()) return Verdict::of(wrong);
  const auto checkpoint = stage.file("out.bin.arkvory");
  if (text_of(checkpoint).find("secret") != std::string::npos) return Verdict::of("the checkpoint holds the secret");
  struct stat facts {};
  if (stat(checkpoint.c_str(), &facts) != 0 || (facts.st_mode & 0777U) != 0600U)
    return Verdict::of("the checkpoint's mode is not 0600");
  put(path, "second-secret\n");
  stage.site().answer_with(ok());
  const auto run = stage.run();
  for (const auto& one : run.served)
    if (one.request.headers.first("Authorization") != "Bearer second-secret")
      return Verdict::of("the new secret is not used");
  if ((run.output + run.errors).find("secret") != std::string::npos) return Verdict::of("tells the secret");
  return judge(stage, run);
}

}  // namespace

std::vector<Case> local_cases() {
  return {
      {.id = "E1",
       .title = "writes that were not synced are lost at any point",
       .elsewhere = "tests/sim/crash_test.cpp: ended after any file operation, in any way"},
      meddled("E2a", "the part file was cut", kSmall - kHalf / 2,
              [](Stage& stage) {
                std::error_code none;
                fs::resize_file(part_of(stage), kHalf / 2, none);
              }),
      meddled("E2b", "the part file was made longer", kSmall,
              [](Stage& stage) { std::ofstream(part_of(stage), std::ios::app) << std::string(5'000'000, 'x'); }),
      meddled("E2c", "the part file was touched", kSmall - kHalf,
              [](Stage& stage) {
                std::error_code none;
                fs::last_write_time(part_of(stage), fs::file_time_type() + std::chrono::hours(1), none);
              }),
      meddled("E2d", "a byte of the part file was changed", 2 * kSmall, flip_a_byte),
      {.id = "E3a",
       .title = "the lock's owner is dead",
       .right = {.most_bytes = kSmall - kHalf + kSlack},
       .part = Part{kHalf}},
      {.id = "E3b",
       .title = "the lock's pid lives again, as another process",
       .elsewhere = "tests/checkpoint/owner_test.cpp"},
      {.id = "E3c", .title = "another process is at it", .only_ours = true, .course = play_second_process},
      {.id = "E7", .title = "a wrong digest, twice", .course = play_wrong_digest},
      {.id = "E8",
       .title = "three: one missing, one busy, one good",
       .digest = false,
       .only_ours = true,
       .course = play_batch},
      log_of("E9a", seconds(12)),
      log_of("E9b", seconds(60)),
      {.id = "E10", .title = "a checkpoint of a newer version", .only_ours = true, .course = play_newer_format},
      {.id = "E11",
       .title = "the token file changed between runs",
       .right = {.most_bytes = kSmall - kHalf + kSlack},
       .only_ours = true,
       .course = play_changed_token},
  };
}

}  // namespace arkvory::hostile
