// SPDX-License-Identifier: Apache-2.0
// A download that is ended after each of its file operations, on a disk that keeps, drops or tears what was not synced,
// is finished by the next run; and one whose disk fails at each of them never ends wrong.
#include <doctest/doctest.h>

#include <cerrno>

#include "core/base/size.h"
#include "tests/sim/search.h"
#include "tests/sim/world.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kSize = 600 * kKiB + 77;
constexpr std::uint64_t kRate = 30 * kKiB;
constexpr std::uint64_t kRangeSize = 128 * kKiB;

// Slow enough that several records are made on the way.
void prepare(World& world) {
  world.serve(kSize);
  world.origin.set_rate(kRate);
}

Job job_in(const World& world) {
  auto job = world.job();
  job.shape.range_size = kRangeSize;
  job.shape.connections = 2;
  return job;
}

std::uint64_t operations_of_a_whole_run() {
  World world(1);
  prepare(world);
  REQUIRE(world.run(job_in(world)));
  return world.disk.operations();
}

}  // namespace

TEST_CASE("ended after any file operation, in any way, the next run finishes with the right bytes (E1, B9)") {
  const auto operations = operations_of_a_whole_run();
  CHECK(operations > 50);
  for (const auto ending : {Ending::kill, Ending::keep, Ending::drop, Ending::tear}) {
    for (std::uint64_t stop = 1; stop <= operations; stop += test::kStride) {
      CAPTURE(static_cast<int>(ending));
      CAPTURE(stop);
      World world(stop);
      prepare(world);
      world.disk.stop_at(stop);
      const auto job = job_in(world);
      if (world.run(job)) continue;  // its chance made it shorter than the run that was counted
      end_process(world, ending);
      const auto target = world.disk.content(World::kTarget);
      if (target) REQUIRE(*target == world.object());
      const auto result = world.run(job);
      REQUIRE(result);
      REQUIRE(result->succeeded == 1);
      check_promises(world, *result);
      // No more than 5 s of two connections is fetched again, and what was on its way.
      REQUIRE(world.origin.bytes_sent() <= kSize + 2 * 6 * kRate + 2 * kRangeSize);
    }
  }
}

TEST_CASE("ended twice in a row the third run still finishes") {
  const auto operations = operations_of_a_whole_run();
  for (std::uint64_t seed = 1; seed <= 200; seed += test::kStride) {
    CAPTURE(seed);
    World world(seed);
    prepare(world);
    const auto job = job_in(world);
    for (int round = 0; round < 2; ++round) {
      world.disk.stop_at(world.disk.operations() + 1 + world.rng.below(operations));
      if (world.run(job)) break;
      end_process(world, static_cast<Ending>(world.rng.below(4)));
    }
    world.disk.stop_at(~std::uint64_t{0});
    const auto result = world.run(job);
    REQUIRE(result);
    REQUIRE_MESSAGE(result->succeeded == 1, result->failures.front().text());
    check_promises(world, *result);
  }
}

TEST_CASE(
    "a disk that fails at any one operation ends the run as local with no wrong target, and the next one finishes "
    "(E4)") {
  const auto operations = operations_of_a_whole_run();
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS}) {
    for (std::uint64_t fails = 1; fails <= operations; fails += test::kStride) {
      CAPTURE(error);
      CAPTURE(fails);
      World world(fails);
      prepare(world);
      world.disk.on_operation([&](const DiskOperation& operation) { return operation.number == fails ? error : 0; });
      const auto job = job_in(world);
      const auto first = world.run(job);
      REQUIRE(first);
      const auto target = world.disk.content(World::kTarget);
      if (target) REQUIRE(*target == world.object());
      if (first->succeeded == 0) {
        REQUIRE(first->failures.size() == 1);
        REQUIRE(first->failures.front().fault == Fault::local);
      }
      world.disk.on_operation({});
      world.kill();
      const auto second = world.run(job);
      REQUIRE(second);
      REQUIRE(second->succeeded == 1);
      REQUIRE(world.disk.content(World::kTarget) == world.object());
    }
  }
}
