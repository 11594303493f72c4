// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <time.h>

#include "cli/safe_text.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

using namespace std::chrono_literals;

LineState halfway() {
  return {.name = "image.iso",
          .phase = Phase::transferring,
          .progress = {.bytes = 512 * kMiB, .total = kGiB, .rate = 8.0 * static_cast<double>(kMiB)}};
}

// 2027-01-01T12:00:00Z, in a zone of fixed offset.
const WallTime kNoon{std::chrono::seconds(1798804800)};

}  // namespace

TEST_CASE("a progress line shows as much as its width allows") {
  const auto state = halfway();
  CHECK(progress_line(100, state) ==
        "image.iso   50 %  [###############...............]  512.0 MiB of 1.0 GiB  8.0 MiB/s  1 min left");
  CHECK(progress_line(80, state) == "image.iso   50 %  [#######........]  512.0 MiB of 1.0 GiB  8.0 MiB/s  1 min left");
  CHECK(progress_line(70, state) == "image.iso   50 %  512.0 MiB of 1.0 GiB  8.0 MiB/s  1 min left");
  CHECK(progress_line(55, state) == "image.iso   50 %  512.0 MiB of 1.0 GiB  8.0 MiB/s");
  CHECK(progress_line(40, state) == "image.iso   50 %  512.0 MiB of 1.0 GiB");
  CHECK(progress_line(30, state) == "image.iso   50 %  512.0 MiB");
  CHECK(progress_line(18, state) == "image.iso   50 %");
}

TEST_CASE("no progress line is wider than its width") {
  auto state = halfway();
  state.waiting_text = "in queue, place 312, starts about 14:05 (in 47 min)";
  for (const auto* name :
       {"a", "image.iso", "a-name-that-is-longer-than-most-terminals-care-to-show-in-one-line.iso", "日本語.bin"})
    for (const auto phase : {Phase::starting, Phase::transferring, Phase::waiting, Phase::verifying})
      for (std::size_t width = 1; width < 130; ++width) {
        state.name = name;
        state.phase = phase;
        CAPTURE(width);
        CAPTURE(progress_line(width, state));
        CHECK(display_width(progress_line(width, state)) <= width);
      }
}

TEST_CASE("a line shows 100 % only when every byte is held") {
  auto state = halfway();
  state.progress.bytes = kGiB - 1;
  CHECK(progress_line(40, state) == "image.iso   99 %  1.0 GiB of 1.0 GiB");
  state.progress.bytes = kGiB;
  CHECK(progress_line(40, state) == "image.iso  100 %  1.0 GiB of 1.0 GiB");
}

TEST_CASE("an object of unknown size has no percentage, bar or time left") {
  auto state = halfway();
  state.progress.total.reset();
  CHECK(progress_line(100, state) == "image.iso  512.0 MiB  8.0 MiB/s");
  CHECK(progress_text(state) == "512.0 MiB, 8.0 MiB/s");
}

TEST_CASE("an empty object does not divide by nothing") {
  LineState state{.name = "empty", .phase = Phase::transferring, .progress = {.bytes = 0, .total = 0}};
  CHECK(progress_line(80, state) == "empty  0 B of 0 B");
}

TEST_CASE("a log's progress is a sentence") {
  CHECK(progress_text(halfway()) == "50 % of 1.0 GiB, 8.0 MiB/s, 1 min left");
  auto stuck = halfway();
  stuck.progress.rate = 0;
  CHECK(progress_text(stuck) == "50 % of 1.0 GiB");
}

TEST_CASE("a wait is told with place, start in local time and the time until then (A7)") {
  setenv("TZ", "UTC-2", 1);
  tzset();
  WaitStatus wait{.reason = WaitReason::queue, .until = kNoon + 5s, .position = 312, .starts_at = kNoon + 47min};
  CHECK(waiting_text(wait, kNoon) == "in queue, place 312, starts about 14:47 (in 47 min)");
  wait.starts_at = kNoon + 26h;
  CHECK(waiting_text(wait, kNoon) == "in queue, place 312, starts about 2027-01-02 16:00 (in 1 d 02 h)");
  wait.starts_at = kNoon - 1s;
  CHECK(waiting_text(wait, kNoon) == "in queue, place 312, starts at any moment");
  wait.starts_at.reset();
  CHECK(waiting_text(wait, kNoon) == "in queue, place 312");
  CHECK(waiting_text({.reason = WaitReason::busy, .until = kNoon + 5s}, kNoon) == "server busy, asks again in 5 s");
  CHECK(waiting_text({.reason = WaitReason::fault, .until = kNoon + 2s, .why = "connection\nreset"}, kNoon) ==
        "connection reset; tries again in 2 s");
  CHECK(waiting_text({.reason = WaitReason::network, .until = kNoon + 2s}, kNoon) == "no network; tries again in 2 s");
  CHECK(waiting_text({.reason = WaitReason::window, .until = kNoon + 1h}, kNoon) ==
        "waits until 15:00 (in 1 h 00 min)");
  CHECK(waiting_text({.reason = WaitReason::lock, .until = kNoon}, kNoon) ==
        "another process works on this target; waits for it");
}

}  // namespace arkvory::cli
