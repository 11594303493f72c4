// SPDX-License-Identifier: Apache-2.0
// What a stream leaves on the disk, whatever was held before it.
#include <doctest/doctest.h>

#include "checkpoint/read_checkpoint.h"
#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

TEST_CASE("a stream drops what it could not compare, so that a later run asks for it again") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  // The first range stalls, and those after it come.
  world.origin.cut_next(1, 300'000, std::nullopt);
  world.interrupt_at(Instant(4s));
  REQUIRE(world.run(job));
  const auto claimed = [&world] { return (*read_checkpoint(world.disk, World::kTarget))->progress.claimed; };
  REQUIRE(claimed().count() > 1);
  world.origin.put(World::kPath, {.seed = 1, .size = 20 * kMiB, .etag = "\"v1\"", .ranges = false});
  // Asked three times more before it is believed, and then it streams for some seconds.
  world.interrupt_at(world.clock.now() + 9s);
  REQUIRE(world.run(job));
  CHECK(claimed().count() == 1);
  CHECK(claimed().prefix_end() > 300'000);
  CHECK(run(world, job).succeeded == 1);
}
