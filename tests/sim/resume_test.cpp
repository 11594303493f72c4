// SPDX-License-Identifier: Apache-2.0
// What a run leaves for the next one, and what that makes of it.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

TEST_CASE("a signal stops with everything held on disk, and the next run asks only for the rest") {
  World world(1);
  const auto job = slow_download(world);
  world.interrupt_at(Instant(2s));
  const auto stopped = world.run(job);
  REQUIRE(stopped);
  CHECK(stopped->signal == 15);
  CHECK(world.clock.now() == Instant(2s));
  const auto held = world.events.outcome->bytes;
  CHECK(held > 4 * kMiB);
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("start " + std::to_string(held)) == 1);
  CHECK(world.origin.bytes_sent() <= 20 * kMiB + kMiB);  // what was on its way when the signal came
}

TEST_CASE("the download id is the same after a kill, and is on disk before the second request") {
  World world(1);
  const auto job = slow_download(world);
  std::size_t records = 0;
  world.origin.amend([&](const SimRequest& request, SimAnswer&) {
    if (request.number == 2 && world.disk.content("/home/out.bin.arkvory")) ++records;
  });
  world.network.at(Instant(3s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
  CHECK_FALSE(world.run(job));
  world.kill();
  CHECK(records == 1);
  CHECK(run(world, job).succeeded == 1);
  std::vector<std::string> ids;
  for (const auto& entry : world.origin.log()) ids.emplace_back(*entry.headers.first("Arkvory-Download-Id"));
  CHECK(std::all_of(ids.begin(), ids.end(), [&](const auto& id) { return id == ids.front(); }));
}

TEST_CASE("an unfinished download of another URL under the same target is not touched") {
  World world(1);
  const auto job = stopped_download(world);
  const auto before = world.disk.content("/home/out.bin.arkvory-part");
  auto other = job;
  other.url = *Url::parse(world.origin.url("/other"));
  const auto refused = world.run(other);
  REQUIRE(refused);
  CHECK(fault_of(*refused) == Fault::local);
  CHECK(world.disk.content("/home/out.bin.arkvory-part") == before);
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("--no-resume begins again and asks for everything") {
  World world(1);
  auto job = stopped_download(world);
  const auto before = world.origin.bytes_sent();
  job.resume = false;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == before + 20 * kMiB);
}

TEST_CASE("state is recorded at least every 5 s of transfer") {
  World world(1);
  world.serve(60 * kMiB);
  world.origin.set_rate(256 * kKiB);
  auto job = world.job();
  job.shape.range_size = 32 * kMiB;
  job.shape.connections = 1;
  std::optional<std::uint64_t> claimed;
  world.network.at(Instant(60s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
  CHECK_FALSE(world.run(job));
  world.kill();
  world.events.lines.clear();
  world.interrupt_at(world.clock.now());
  REQUIRE(world.run(job));
  const auto start = world.events.lines.front();
  const auto held = std::stoull(start.substr(start.find(' ') + 1));
  CHECK(held >= 54 * 256 * kKiB);  // at most 5 s and one chunk behind the 60 s
}

TEST_CASE("a part file that was made longer by hand is cut to the object (E2)") {
  World world(1);
  const auto job = stopped_download(world);
  const auto part = *world.disk.content("/home/out.bin.arkvory-part");
  world.disk.put("/home/out.bin.arkvory-part", part + std::string(21 * kMiB, 'x'));
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("a part file that was cut by hand is filled again (E2)") {
  World world(1);
  const auto job = stopped_download(world);
  const auto part = *world.disk.content("/home/out.bin.arkvory-part");
  world.disk.put("/home/out.bin.arkvory-part", part.substr(0, kMiB));
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("a target that equals the digest needs no state any more, whatever it spoke of") {
  World world(1);
  const auto job = stopped_download(world);
  world.disk.put(World::kTarget, world.object());
  auto elsewhere = job;
  elsewhere.url = *Url::parse(world.origin.url("/other"));
  CHECK(run(world, elsewhere).succeeded == 1);
}

TEST_CASE("another download whose target is called like a generation of this one is left alone") {
  World world(1);
  world.serve(2 * kMiB);
  world.disk.put("/home/out.bin.g2.arkvory-part", "of the target out.bin.g2");
  auto job = world.job();
  job.shape.range_size = kMiB;
  const auto result = world.run(job);
  REQUIRE(result);
  CHECK(result->succeeded == 1);
  CHECK(world.disk.content("/home/out.bin.g2.arkvory-part") == "of the target out.bin.g2");
}
