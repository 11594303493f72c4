// SPDX-License-Identifier: Apache-2.0
// --wait-limit: the longest wait for a seat in all, over all runs.
#include <doctest/doctest.h>

#include "checkpoint/read_checkpoint.h"
#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

Duration waited_on_disk(World& world) {
  auto read = read_checkpoint(world.disk, World::kTarget);
  REQUIRE(read);
  REQUIRE(read->has_value());
  return (*read)->progress.facts.waited;
}

Job limited(World& world, Duration limit) {
  world.serve(1000);
  auto job = world.job();
  job.shape.wait_limit = limit;
  return job;
}

}  // namespace

TEST_CASE("a wait that would go beyond the limit is refused before it begins, with place, start and limit (A5)") {
  World world(1);
  const auto job = limited(world, 10s);
  auto headers = queued(7, "99999999999999999999");
  headers.add("Arkvory-Starts-At", "2027-01-01T00:47:00Z");
  world.origin.answer_next(1000, 503, headers);
  const auto result = run(world, job);
  CHECK(fault_of(result) == Fault::wait_limit);
  CHECK(world.clock.now() < Instant(1s));
  const auto& words = result.failures.front().words;
  CAPTURE(words);
  CHECK(words.find("place 7") != std::string::npos);
  CHECK(words.find("in 47 min") != std::string::npos);
  CHECK(words.find("limit of 10 s") != std::string::npos);
  // The place is kept.
  CHECK(world.names() == std::vector<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
}

TEST_CASE("a limit that is not reached changes nothing") {
  World world(1);
  const auto job = limited(world, 60s);
  world.origin.answer_next(5, 503, queued(7, "5"));
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("the limit is spent over all runs; once it is, each run asks once and ends") {
  World world(1);
  const auto job = limited(world, 60s);
  world.origin.answer_next(1000, 503, queued(7, "10"));
  world.network.at(Instant(35s), [&world] { world.network.wake(); });
  world.interrupt_at(Instant(35s));
  REQUIRE(world.run(job));
  CHECK(waited_on_disk(world) >= 34s);
  const auto begun = world.clock.now();
  CHECK(fault_of(run(world, job)) == Fault::wait_limit);
  CHECK(world.clock.now() - begun <= 26s);
  CHECK(waited_on_disk(world) <= 60s);
  CHECK(waited_on_disk(world) >= 48s);
  for (int again = 0; again < 3; ++again) {
    const auto requests = world.origin.log().size();
    const auto now = world.clock.now();
    CHECK(fault_of(run(world, job)) == Fault::wait_limit);
    CHECK(world.origin.log().size() == requests + 1);
    CHECK(world.clock.now() - now < 1s);
  }
}

TEST_CASE("a run whose limit is spent still takes a seat that is free") {
  World world(1);
  const auto job = limited(world, 0s);
  world.origin.answer_next(1, 503, queued(7, "10"));
  CHECK(fault_of(run(world, job)) == Fault::wait_limit);
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("a kill loses at most the wait for one question of what the queue has cost") {
  World world(1);
  const auto job = limited(world, 2h);
  world.origin.answer_next(1000, 503, queued(7, "300"));
  world.network.at(Instant(1490s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
  CHECK_FALSE(world.run(job));
  world.kill();
  CHECK(waited_on_disk(world) >= 1490s - 330s);
}

TEST_CASE("a client that waits for an hour writes nothing meanwhile, also with a limit") {
  World world(1);
  const auto job = limited(world, 2h);
  world.origin.answer_next(1, 503, queued(7, "3000"));
  std::size_t before = 0;
  std::size_t after = 0;
  world.network.at(Instant(60s), [&] { before = world.disk.operations(); });
  world.network.at(Instant(2990s), [&] { after = world.disk.operations(); });
  CHECK(run(world, job).succeeded == 1);
  CHECK(before > 0);
  CHECK(after == before);
}

TEST_CASE("a kill while there is no network loses at most a minute of what that has cost") {
  World world(1);
  const auto job = limited(world, 2h);
  world.origin.answer_next(1, 503, queued(7, "5"));
  world.network.at(Instant(1s), [&world] { world.network.set_online(false); });
  world.network.at(Instant(1490s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
  CHECK_FALSE(world.run(job));
  world.kill();
  CHECK(waited_on_disk(world) >= 1420s);
}

TEST_CASE("waiting for the network is spent from the limit as well") {
  World world(1);
  const auto job = limited(world, 5min);
  world.network.set_online(false);
  CHECK(fault_of(run(world, job)) == Fault::wait_limit);
  CHECK(world.clock.now() > Instant(4min));
  CHECK(world.clock.now() <= Instant(5min));
}

TEST_CASE("a pause after a fault is not spent from the limit, nor is the time before --not-before") {
  World world(1);
  auto job = limited(world, 1s);
  job.shape.not_before = given(world, 1h);
  world.origin.answer_next(8, 500);
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.outcome->in_queue == 0s);
  CHECK(world.events.outcome->in_transfer < 1s);
}

TEST_CASE("the random addition alone carries no wait over the limit or the deadline") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    World limit(seed);
    const auto job = limited(limit, 101s);
    limit.origin.answer_next(1, 503, queued(7, "100"));
    CHECK(run(limit, job).succeeded == 1);

    World deadline(seed);
    auto late = limited(deadline, 1h);
    late.shape.not_after = given(deadline, 101s);
    deadline.origin.answer_next(1, 503, queued(7, "100"));
    CHECK(run(deadline, late).succeeded == 1);
  }
}
