// SPDX-License-Identifier: Apache-2.0
// Thousands of worlds drawn from seeds: servers that are slow, cut, fall silent, refuse, go busy with and without a
// queue, go away, ignore ranges or change the object; processes that are killed and power that goes. After each the
// promises are checked.
// search.h tells how many, and how one is lived through alone.
#include <doctest/doctest.h>

#include <string>

#include "core/base/size.h"
#include "tests/sim/search.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

Duration up_to(World& world, Duration most) { return world.rng.up_to(most); }

// One mishap of the server or the network, from now on or at a time within the next minute.
void add_mishap(World& world, std::uint64_t size) {
  auto& rng = world.rng;
  const auto when = world.clock.now() + up_to(world, 60s);
  Headers busy;
  busy.add("Retry-After", std::to_string(rng.below(20)));
  if (rng.chance(50)) busy.add("Arkvory-Queue-Position", std::to_string(1 + rng.below(9)));
  if (rng.chance(50)) busy.add("Arkvory-Queue-Ticket", "2." + std::to_string(rng.below(99)));
  switch (rng.below(9)) {
    case 0: return world.origin.cut_next(1 + static_cast<int>(rng.below(8)), rng.below(size + 1));
    case 1: return world.origin.cut_next(1, rng.below(size + 1), std::nullopt);
    case 2: return world.origin.answer_next(1 + static_cast<int>(rng.below(5)), 503, busy);
    case 3: return world.origin.answer_next(1 + static_cast<int>(rng.below(3)), 500 + static_cast<int>(rng.below(5)));
    case 4: return world.origin.down_between(when, when + up_to(world, 10s));
    case 5: return world.network.at(when, [&world] { world.network.break_off("http://files.example", EndKind::cut); });
    case 6:
      world.network.at(when, [&world] { world.network.set_online(false); });
      return world.network.at(when + up_to(world, 100s), [&world] { world.network.set_online(true); });
    case 7: return world.network.at(when, [&world] { world.clock.step_wall(1h); });
    default: return world.origin.set_rate(1 + rng.below(kMiB));
  }
}

void live_through(std::uint64_t seed) {
  World world(seed);
  auto& rng = world.rng;
  const std::uint64_t size = rng.below(3) == 0 ? rng.below(64 * kKiB) : rng.below(6 * kMiB);
  world.serve(size);
  const bool ranges = !rng.chance(10);
  if (!ranges) world.origin.put(World::kPath, {.seed = 1, .size = size, .etag = "\"v1\"", .ranges = false});
  world.origin.set_rate(100 * kKiB + rng.below(4 * kMiB));
  world.network.set_latency(up_to(world, 50ms), up_to(world, 200ms));
  auto job = world.job();
  job.shape.connections = 1 + static_cast<unsigned>(rng.below(16));
  job.shape.range_size = 64 * kKiB + rng.below(kMiB);
  job.shape.stall_timeout = 5s + up_to(world, 20s);
  if (rng.chance(30)) job.shape.sha256.reset();
  if (rng.chance(30)) job.shape.wait_limit = 10h;
  if (rng.chance(30)) job.shape.not_before = GivenTime{"+", world.clock.wall_now() + up_to(world, 100s)};

  // Up to six processes, each ended in some way of its own or of ours.
  const auto runs = 1 + rng.below(5);
  for (std::uint64_t i = 0; i < runs; ++i) {
    for (auto mishaps = rng.below(4); mishaps > 0; --mishaps) add_mishap(world, size);
    const bool killed = rng.chance(50);
    if (killed) world.disk.stop_at(world.disk.operations() + 1 + rng.below(200));
    const auto result = world.run(job);
    world.disk.stop_at(~std::uint64_t{0});
    if (!result) {
      if (rng.chance(50))
        world.kill();
      else
        world.power_cut(static_cast<CrashMode>(rng.below(3)));
    } else {
      REQUIRE_MESSAGE(result->failures.size() + result->succeeded == 1, "one outcome for one download");
      if (result->succeeded == 1) {
        check_promises(world, *result);
        return;
      }
      // All of these mishaps pass: what ended a run is the budget's end, or a whole file that a killed run left under
      // the target's name and that no digest tells from somebody else's.
      const auto fault = result->failures.front().fault;
      const bool whole_already = fault == Fault::local && world.disk.content(World::kTarget) == world.object();
      CHECK_MESSAGE((fault == Fault::network || whole_already), result->failures.front().text());
    }
    const auto target = world.disk.content(World::kTarget);
    if (target) REQUIRE(*target == world.object());
    world.clock.advance(up_to(world, 200s));
  }

  // The world calms down: the last run must finish, and soon.
  world.network.set_online(true);
  world.origin.amend({});
  world.clock.advance(300s);
  const auto begun = world.clock.now();
  world.disk.kill();
  auto patient = job;
  patient.shape.max_retries = 100;
  patient.shape.max_attempts = 100;
  const auto result = world.run(patient);
  REQUIRE(result);
  if (result->succeeded == 0) {
    // Without a digest, a target of an earlier run that was killed after its last step stands there, whole.
    const auto& error = result->failures.front();
    CHECK_MESSAGE(world.disk.content(World::kTarget) == world.object(), error.text());
    CHECK(error.fault == Fault::local);
    return;
  }
  check_promises(world, *result);
  CHECK(world.clock.now() - begun < 2h);
}

}  // namespace

TEST_CASE("in no world does a download end wrong, hang or lose what was held") {
  live_through_all("in no world", 1500, [](std::uint64_t seed, const std::string& replay) {
    INFO("replay with: " << replay);
    live_through(seed);
  });
}
