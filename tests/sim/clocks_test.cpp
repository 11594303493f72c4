// SPDX-License-Identifier: Apache-2.0
// Clocks that are set and machines that sleep, by the thousand: waits stay as long as they were asked to be, moments
// follow the wall clock, and nobody sleeps past either.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"
#include "tests/support/search.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kSeeds = 1000;

struct Sleep {
  Instant from;
  Instant to;
};

// Sets the wall clock or suspends the machine a few times within the next hour; what slept is in `sleeps`.
void upset_clocks(World& world, std::vector<Sleep>& sleeps) {
  auto& rng = world.rng;
  for (auto left = 1 + rng.below(5); left > 0; --left) {
    const auto when = world.clock.now() + rng.up_to(1h);
    const auto by = rng.up_to(2h);
    switch (rng.below(3)) {
      case 0: world.network.at(when, [&world, by] { world.clock.step_wall(by); }); break;
      case 1: world.network.at(when, [&world, by] { world.clock.step_wall(-by); }); break;
      default:
        world.network.at(when, [&world, &sleeps, by] {
          const auto begun = world.clock.now();
          world.clock.advance(by);
          sleeps.push_back({begun, world.clock.now()});
        });
    }
  }
}

bool slept_over(const std::vector<Sleep>& sleeps, Instant moment) {
  return std::any_of(sleeps.begin(), sleeps.end(),
                     [moment](const Sleep& sleep) { return sleep.from <= moment && moment <= sleep.to; });
}

}  // namespace

TEST_CASE("a wait that a server asked for is that long whatever the clocks do (A12, A13)") {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += test::kStride) {
    CAPTURE(seed);
    World world(seed);
    world.serve(1000);
    const auto asked = std::chrono::seconds(1 + world.rng.below(3600));
    world.origin.answer_next(1, 503, queued(7, std::to_string(asked.count())));
    std::vector<Sleep> sleeps;
    upset_clocks(world, sleeps);
    const auto job = world.job();
    REQUIRE(run(world, job).succeeded == 1);
    REQUIRE(world.origin.log().size() == 2);
    const auto first = world.origin.log()[0].time;
    const auto second = world.origin.log()[1].time;
    // The answer may itself come late after a sleep, so the wait is counted from when it was told.
    REQUIRE(second - first >= asked);
    const auto latest = first + asked + std::clamp<Duration>(asked / 10, 1200ms, 30s) + 1s;
    if (second <= latest) continue;
    // Later only where the machine slept over the time; then within a second of its waking.
    REQUIRE(slept_over(sleeps, second - 1s));
  }
}

TEST_CASE("--not-before is never passed by the wall clock at the first request, nor by more than a minute") {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += test::kStride) {
    CAPTURE(seed);
    World world(seed);
    world.serve(1000);
    auto job = world.job();
    job.shape.not_before = given(world, world.rng.up_to(1h));
    WallTime asked{};
    Duration overdue{0};
    // Looks at the wall clock each second, as a person would.
    std::function<void()> look = [&] {
      const bool due = world.clock.wall_now() >= job.shape.not_before->time;
      if (asked == WallTime() && due) overdue += 1s;
      if (asked == WallTime() && !due) overdue = 0s;
      if (asked == WallTime()) world.network.at(world.clock.now() + 1s, look);
    };
    world.network.at(world.clock.now(), look);
    world.origin.amend([&](const SimRequest&, SimAnswer&) {
      if (asked == WallTime()) asked = world.clock.wall_now();
    });
    std::vector<Sleep> sleeps;
    upset_clocks(world, sleeps);
    REQUIRE(run(world, job).succeeded == 1);
    REQUIRE(overdue <= 61s);
    REQUIRE(asked != WallTime());
  }
}

TEST_CASE("in every world of upset clocks a deadline ends a queued download, or it is served") {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += test::kStride) {
    CAPTURE(seed);
    World world(seed);
    world.serve(1000);
    auto job = world.job();
    job.shape.not_after = given(world, world.rng.up_to(2h));
    job.shape.wait_limit = 12h;
    world.origin.answer_next(static_cast<int>(world.rng.below(100)), 503, queued(7, "120"));
    std::vector<Sleep> sleeps;
    upset_clocks(world, sleeps);
    const auto result = run(world, job);
    REQUIRE(result.succeeded + result.failures.size() == 1);
    if (result.succeeded == 0) REQUIRE(fault_of(result) == Fault::deadline);
    REQUIRE(world.clock.now() < Instant(24h));
  }
}

TEST_CASE("a machine that sleeps in the middle of a transfer takes no time asleep for a stall (A13)") {
  World world(1);
  auto job = slow_download(world);
  job.shape.max_retries = 0;
  job.shape.max_attempts = 1;
  world.origin.set_delay(500ms);
  // The client looks at the clocks before anything comes.
  world.network.at(Instant(200ms), [&world] {
    world.clock.advance(20min);
    world.network.wake();
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("waiting fault") == 0);
}
