// SPDX-License-Identifier: Apache-2.0
// Several downloads in one process, in worlds drawn from seeds: servers cut, go busy and lie in form, processes are
// killed and power goes. None harms another, and in the end each target is there, whole.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/lies.h"
#include "tests/sim/search.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Item {
  Version version;
  Job job;
  std::filesystem::path target;
};

std::vector<Item> draw_items(World& world) {
  std::vector<Item> items;
  const auto count = 2 + world.rng.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Version version{10 + i, world.rng.below(world.rng.chance(20) ? kMiB : 100 * kKiB)};
    const auto path = "/item" + std::to_string(i);
    world.origin.put(path, {.seed = version.seed, .size = version.size, .etag = "\"" + std::to_string(i) + "\""});
    Job job{.url = *Url::parse(world.origin.url(path)), .folder = World::kFolder, .name = "out" + std::to_string(i)};
    job.shape.range_size = 64 * kKiB;
    job.shape.connections = 1 + static_cast<unsigned>(world.rng.below(4));
    job.shape.stall_timeout = 10s;
    job.shape.sha256 = version.digest();
    items.push_back({version, job, std::filesystem::path(World::kFolder) / job.name});
  }
  return items;
}

std::vector<Job> jobs_of(const std::vector<Item>& items) {
  std::vector<Job> jobs;
  for (const auto& item : items) jobs.push_back(item.job);
  return jobs;
}

void add_mishap(World& world) {
  auto& rng = world.rng;
  const auto when = world.clock.now() + rng.up_to(20s);
  Headers busy;
  busy.add("Retry-After", std::to_string(rng.below(9)));
  busy.add("Arkvory-Queue-Position", std::to_string(1 + rng.below(9)));
  switch (rng.below(5)) {
    case 0: return world.origin.cut_next(1 + static_cast<int>(rng.below(5)), rng.below(200 * kKiB));
    case 1: return world.origin.cut_next(1, rng.below(100 * kKiB), std::nullopt);
    case 2: return world.origin.answer_next(1 + static_cast<int>(rng.below(5)), 503, busy);
    case 3: return world.origin.answer_next(1, 500);
    default: return world.origin.down_between(when, when + rng.up_to(10s));
  }
}

// How many targets are there, each of them right.
std::size_t count_right(const World& world, const std::vector<Item>& items) {
  std::size_t right = 0;
  for (const auto& item : items) {
    const auto target = world.disk.content(item.target);
    if (!target) continue;
    CHECK_MESSAGE(*target == item.version.bytes(), "a wrong file stands under " << item.target.string());
    ++right;
  }
  return right;
}

void live(std::uint64_t seed) {
  World world(seed);
  world.origin.set_rate(20 * kKiB + world.rng.below(500 * kKiB));
  world.network.set_latency(1ms, world.rng.up_to(200ms));
  const auto items = draw_items(world);
  const auto at_once = 1 + static_cast<unsigned>(world.rng.below(4));
  std::size_t had = 0;
  for (auto runs = 1 + world.rng.below(3); runs > 0; --runs) {
    for (auto mishaps = world.rng.below(5); mishaps > 0; --mishaps) add_mishap(world);
    if (world.rng.chance(60)) world.disk.stop_at(world.disk.operations() + 1 + world.rng.below(300));
    const auto result = world.run_all(jobs_of(items), at_once);
    world.disk.stop_at(kNever);
    if (result || world.rng.chance(50))
      world.kill();
    else
      world.power_cut(static_cast<CrashMode>(world.rng.below(3)));
    if (result) CHECK(result->succeeded + result->failed == items.size());
    const auto right = count_right(world, items);
    CHECK_MESSAGE((!result || right >= result->succeeded), "success without the file");
    // A rename that was not synced may be undone; what was told as done may not.
    if (result) CHECK(right >= had);
    had = result ? right : 0;
    world.clock.advance(world.rng.up_to(60s));
  }
  world.clock.advance(60s);
  const auto begun = world.clock.now();
  auto jobs = jobs_of(items);
  for (auto& job : jobs) job.shape.max_retries = job.shape.max_attempts = 100;
  const auto result = world.run_all(jobs, at_once);
  REQUIRE(result);
  CHECK_MESSAGE(result->succeeded == items.size(), world.events.told());
  CHECK(count_right(world, items) == items.size());
  CHECK(world.names().size() == items.size());
  CHECK(world.clock.now() - begun < 2h);
}

}  // namespace

TEST_CASE("of many downloads in one process none harms another, whatever ends the process") {
  live_through_all("of many downloads in one process", 300, [](std::uint64_t seed, const std::string& replay) {
    INFO("replay with: " << replay);
    live(seed);
  });
}
