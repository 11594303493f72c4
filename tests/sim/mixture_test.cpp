// SPDX-License-Identifier: Apache-2.0
// Two versions of one object are never mixed, however their answers take turns; without a digest, so that nothing at
// the end would tell.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"
#include "tests/sim/lies.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kSize = 20 * kMiB;

// Requests with these numbers, and all from `from` on, are answered by nodes that have another version.
void answer_by_turns(World& world, std::vector<std::uint64_t> fresh, std::uint64_t from) {
  const auto is_fresh = [fresh = std::move(fresh), from](std::uint64_t number) {
    return number >= from || std::find(fresh.begin(), fresh.end(), number) != fresh.end();
  };
  world.origin.amend([&world, is_fresh](const SimRequest& request, SimAnswer&) {
    const std::uint64_t seed = is_fresh(request.number + 1) ? 2 : 1;
    world.origin.put(World::kPath, {.seed = seed, .size = kSize, .etag = "\"v" + std::to_string(seed) + "\""});
  });
}

void check_unmixed(World& world) {
  CAPTURE(world.events.told());
  const auto target = world.disk.content(World::kTarget);
  REQUIRE(target);
  CHECK((*target == Version{1, kSize}.bytes() || *target == Version{2, kSize}.bytes()));
}

}  // namespace

TEST_CASE("a node that has another version is not taken for the same one because its siblings' bytes were compared") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  job.shape.connections = 1;
  // One answer of a node that is ahead; while what is held is compared, all come from those that are behind.
  answer_by_turns(world, {4}, 8);
  REQUIRE(world.run(job));
  check_unmixed(world);
}

TEST_CASE("a node that has another version and is cut before its first byte is not taken for the same one") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  job.shape.connections = 1;
  answer_by_turns(world, {4, 5}, 9);
  world.network.at(Instant(2900ms), [&world] { world.origin.cut_next(2, 0); });
  REQUIRE(world.run(job));
  check_unmixed(world);
}
