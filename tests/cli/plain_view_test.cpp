// SPDX-License-Identifier: Apache-2.0
#include "cli/plain_view.h"

#include <doctest/doctest.h>

#include "cli/quiet_view.h"
#include "core/base/size.h"
#include "tests/cli/string_output.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory::cli {

namespace {

using namespace std::chrono_literals;

struct Stage {
  sim::VirtualClock clock;
  test::StringOutput out;
  PlainView view{out, clock, {.current = "/data"}};

  void start(const std::filesystem::path& target) {
    const auto url = *Url::parse("http://example.org/out.bin?key=secret");
    view.started(target, {.url = url, .total = 100 * kMiB, .id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA")});
  }
  void progress(std::uint64_t bytes) {
    view.progress("/data/out.bin", {.bytes = bytes, .total = 100 * kMiB, .rate = 1.0 * static_cast<double>(kMiB)});
  }
};

}  // namespace

TEST_CASE("a download of a minute says at most one line in 10 s, without control characters (E9)") {
  Stage stage;
  stage.start("/data/out.bin");
  for (unsigned i = 1; i <= 600; ++i) {
    stage.clock.advance(100ms);
    stage.progress(i * kMiB / 10);
  }
  const auto lines = stage.out.lines();
  CHECK(lines.size() == 7);
  CHECK(lines[0] == "arkvoryctl: out.bin: from http://example.org/out.bin?…");
  CHECK(lines[1] == "arkvoryctl: out.bin: 10 % of 100.0 MiB, 1.0 MiB/s, 1 min left");
  for (const char c : stage.out.text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
}

TEST_CASE("in a log a change of place alone is no line, and the end of the wait is one (A7)") {
  Stage stage;
  stage.start("/data/out.bin");
  for (std::uint64_t position = 9; position > 0; --position) {
    stage.clock.advance(20s);
    stage.view.waiting("/data/out.bin",
                       {.reason = WaitReason::queue, .until = stage.clock.wall_now() + 20s, .position = position});
  }
  stage.clock.advance(1s);
  stage.progress(kMiB);
  const std::vector<std::string> expected{"arkvoryctl: out.bin: from http://example.org/out.bin?…",
                                          "arkvoryctl: out.bin: in queue, place 9",
                                          "arkvoryctl: out.bin: 1 % of 100.0 MiB, 1.0 MiB/s, 1 min left"};
  CHECK(stage.out.lines() == expected);
}

TEST_CASE("the first answer of a queue tells no place; the line that follows when there is one does") {
  Stage stage;
  stage.start("/data/out.bin");
  const auto now = stage.clock.wall_now();
  stage.view.waiting("/data/out.bin", {.reason = WaitReason::queue, .until = now + 2s});
  for (std::uint64_t position = 3; position > 0; --position)
    stage.view.waiting("/data/out.bin", {.reason = WaitReason::queue, .until = now + 2s, .position = position});
  const std::vector<std::string> expected{"arkvoryctl: out.bin: from http://example.org/out.bin?…",
                                          "arkvoryctl: out.bin: in queue", "arkvoryctl: out.bin: in queue, place 3"};
  CHECK(stage.out.lines() == expected);
}

TEST_CASE("another reason to wait is a line") {
  Stage stage;
  const auto until = stage.clock.wall_now() + 5s;
  stage.view.waiting("/data/out.bin", {.reason = WaitReason::busy, .until = until});
  stage.view.waiting("/data/out.bin", {.reason = WaitReason::network, .until = until});
  CHECK(stage.out.lines().size() == 2);
}

TEST_CASE("faults that come and go by the dozen are told once in 10 s") {
  Stage stage;
  stage.start("/data/out.bin");
  for (unsigned i = 1; i <= 50; ++i) {
    stage.clock.advance(100ms);
    stage.view.waiting("/data/out.bin",
                       {.reason = WaitReason::fault, .until = stage.clock.wall_now(), .why = "connection reset"});
    stage.clock.advance(100ms);
    stage.progress(i * kMiB);
  }
  CHECK(stage.out.lines().size() <= 3);
}

TEST_CASE("a download that the answer names keeps its place in the log under its name") {
  Stage stage;
  stage.start("/data");
  stage.clock.advance(1s);
  stage.progress(kMiB);
  CHECK(stage.out.lines().size() == 1);
  stage.clock.advance(10s);
  stage.progress(2 * kMiB);
  CHECK(stage.out.lines().back() == "arkvoryctl: out.bin: 2 % of 100.0 MiB, 1.0 MiB/s, 1 min left");
}

TEST_CASE("quiet says nothing on success and everything on failure") {
  test::StringOutput out;
  QuietView view(out, {.current = "/data", .quiet = true});
  view.notice("/data/a", "state", "lock taken over");
  view.progress("/data/a", {.bytes = 1});
  view.finished("/data/a", {.bytes = 1});
  CHECK(out.text.empty());
  view.finished("/data/b", {.error = Error{Fault::refused, "404"}});
  CHECK(out.text == "arkvoryctl: b: 404; nothing was downloaded; check the address or name\n");
}

TEST_CASE("without progress, notices and endings are still told") {
  test::StringOutput out;
  QuietView view(out, {.current = "/data"});
  view.notice("/data/a", "state", "lock taken over");
  view.finished("/data/a", {.bytes = 1});
  const std::vector<std::string> expected{"arkvoryctl: a: lock taken over",
                                          "arkvoryctl: a: 1 B, complete; no digest was there to verify it with"};
  CHECK(out.lines() == expected);
}

}  // namespace arkvory::cli
