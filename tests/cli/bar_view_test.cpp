// SPDX-License-Identifier: Apache-2.0
#include "cli/bar_view.h"

#include <doctest/doctest.h>

#include "cli/safe_text.h"
#include "cli/two_views.h"
#include "core/base/size.h"
#include "tests/cli/string_output.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory::cli {

namespace {

using namespace std::chrono_literals;

struct Stage {
  sim::VirtualClock clock;
  test::FakeTerminal terminal;
  BarView view{terminal, clock, {.current = "/data"}};

  void start(const std::filesystem::path& target) {
    const auto url = *Url::parse("http://example.org/a");
    view.started(target, {.url = url, .id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA")});
  }
};

}  // namespace

TEST_CASE("a bar's line is redrawn at most ten times a second") {
  Stage stage;
  stage.start("/data/a");
  const auto before = stage.terminal.writings;
  for (int i = 0; i < 1000; ++i) {
    stage.clock.advance(1ms);
    stage.view.progress("/data/a", {.bytes = static_cast<std::uint64_t>(i) * kMiB, .total = 1000 * kMiB});
  }
  CHECK(stage.terminal.writings - before == 10);
}

TEST_CASE("a redrawn line takes the place of the one before") {
  Stage stage;
  stage.start("/data/a");
  CHECK(stage.terminal.last == "a  starting");
  stage.clock.advance(1s);
  stage.view.progress("/data/a", {.bytes = kMiB});
  CHECK(stage.terminal.last == "\ra  1.0 MiB\x1b[K\x1b[J");
}

TEST_CASE("two downloads have a line each, and the ending of one stands above the other's") {
  Stage stage;
  stage.start("/data/a");
  stage.start("/data/b");
  CHECK(stage.terminal.last == "\ra  starting\x1b[K\nb  starting\x1b[K\n2 files\x1b[K\x1b[J");
  stage.view.finished("/data/a", {.error = Error{Fault::refused, "404"}});
  CHECK(stage.terminal.all.ends_with(
      "\r\x1b[2A\x1b[Jarkvoryctl: a: 404; nothing was downloaded; check the address or name\nb  starting"));
  stage.view.finished("/data/b", {.error = Error{Fault::refused, "404"}});
  CHECK(
      stage.terminal.all.ends_with("\r\x1b[Jarkvoryctl: b: 404; nothing was downloaded; check the address or name\n"));
}

TEST_CASE("the sum tells how many have ended well") {
  Stage stage;
  for (const auto* target : {"/data/a", "/data/b", "/data/c", "/data/d"}) stage.start(target);
  stage.view.finished("/data/a", {.bytes = 1});
  stage.view.finished("/data/b", {.error = Error{Fault::refused, "404"}});
  CHECK(stage.terminal.last == "c  starting\nd  starting\n2 files, 1 done");
}

TEST_CASE("a line follows the terminal's width at its next drawing") {
  Stage stage;
  stage.start("/data/a-rather-long-name-for-so-small-a-window.bin");
  stage.terminal.screen.columns = 30;
  stage.clock.advance(1s);
  stage.view.progress("/data/a-rather-long-name-for-so-small-a-window.bin", {.bytes = kMiB, .total = 2 * kMiB});
  // What stood in 49 columns takes two lines of these.
  REQUIRE(stage.terminal.last.starts_with("\r\x1b[1A"));
  const auto line = stage.terminal.last.substr(5, stage.terminal.last.find("\x1b[K") - 5);
  CHECK(display_width(line) < 30);
}

TEST_CASE("who waits is shown how long that still takes, and nothing is written while that stays the same") {
  Stage stage;
  stage.start("/data/a");
  stage.view.waiting("/data/a", {.reason = WaitReason::busy, .until = stage.clock.wall_now() + 5s});
  CHECK(stage.terminal.last == "\ra  server busy, asks again in 5 s\x1b[K\x1b[J");
  CHECK(stage.view.tick_interval() == 1s);
  stage.clock.advance(1s);
  stage.view.tick();
  CHECK(stage.terminal.last == "\ra  server busy, asks again in 4 s\x1b[K\x1b[J");
  const auto writings = stage.terminal.writings;
  stage.clock.advance(200ms);
  stage.view.tick();
  stage.clock.advance(200ms);
  stage.view.tick();
  CHECK(stage.terminal.writings == writings);
  stage.terminal.screen.columns = 20;
  stage.clock.advance(200ms);
  stage.view.tick();
  CHECK(stage.terminal.last.starts_with("\r\x1b[1Aa  "));
  stage.view.finished("/data/a", {.bytes = 1});
  const auto all = stage.terminal.writings;
  stage.clock.advance(1s);
  stage.view.tick();
  CHECK(stage.terminal.writings == all);
}

TEST_CASE("a download that the answer names keeps its line under its name") {
  Stage stage;
  const auto url = *Url::parse("http://example.org/a");
  stage.view.started("/data",
                     {.url = url, .id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA"), .likely_name = "likely\x1b.bin"});
  CHECK(stage.terminal.last == "likely .bin  starting");
  stage.clock.advance(1s);
  stage.view.progress("/data/named.bin", {.bytes = kMiB});
  CHECK(stage.terminal.last == "\rnamed.bin  1.0 MiB\x1b[K\x1b[J");
}

TEST_CASE("a job in the background draws nothing until it is in front again") {
  Stage stage;
  stage.terminal.foreground = false;
  stage.start("/data/a");
  CHECK(stage.terminal.writings == 0);
  stage.terminal.foreground = true;
  stage.clock.advance(1s);
  stage.view.progress("/data/a", {.bytes = kMiB});
  CHECK(stage.terminal.last == "a  1.0 MiB");
}

TEST_CASE("neither the cursor is hidden nor a name's control character drawn") {
  Stage stage;
  stage.start("/data/a\x1b[?25l");
  stage.view.notice("/data/a\x1b[?25l", "x", "y\x1b[?25l");
  CHECK(stage.terminal.all.find("\x1b[?25") == std::string::npos);
}

TEST_CASE("two views are told the same, as often as the quicker one wants") {
  Stage stage;
  test::FakeTerminal second_terminal;
  BarView second(second_terminal, stage.clock, {.current = "/data"});
  TwoViews both(stage.view, second);
  const auto url = *Url::parse("http://example.org/a");
  both.started("/data/a", {.url = url, .id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA")});
  both.waiting("/data/a", {.reason = WaitReason::busy, .until = stage.clock.wall_now() + 5s});
  both.verifying("/data/a");
  both.notice("/data/a", "x", "y");
  both.finished("/data/a", {.bytes = 1});
  CHECK(stage.terminal.all == second_terminal.all);
  CHECK(stage.terminal.all.find("server busy") != std::string::npos);
  CHECK(both.progress_interval() == 100ms);
}

}  // namespace arkvory::cli
