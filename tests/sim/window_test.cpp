// SPDX-License-Identifier: Apache-2.0
// --not-before and --not-after.
#include <doctest/doctest.h>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

TEST_CASE("before --not-before nothing is asked, and at its time at once (A10)") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_before = given(world, 5h);
  CHECK(run(world, job).succeeded == 1);
  REQUIRE(world.origin.log().size() == 1);
  CHECK(world.origin.log().front().time >= Instant(5h));
  CHECK(world.origin.log().front().time < Instant(5h + 1s));
  CHECK(world.events.count("waiting window") == 1);
  CHECK(world.events.waits.front().until == job.shape.not_before->time);
  CHECK(world.wakes() <= 5 * 60 + 10);
}

TEST_CASE("a --not-before that is past does not wait") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_before = given(world, -1h);
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.clock.now() < Instant(1s));
  CHECK(world.events.count("waiting window") == 0);
}

TEST_CASE("--not-before follows the wall clock as it is set: forward within a minute, backward as far (A12)") {
  World forward(1);
  forward.serve(1000);
  auto job = forward.job();
  job.shape.not_before = given(forward, 1h);
  forward.network.at(Instant(10min), [&forward] { forward.clock.step_wall(2h); });
  CHECK(run(forward, job).succeeded == 1);
  CHECK(forward.origin.log().front().time <= Instant(11min + 1s));

  World backward(1);
  backward.serve(1000);
  backward.network.at(Instant(10min), [&backward] { backward.clock.step_wall(-1h); });
  CHECK(run(backward, job).succeeded == 1);
  CHECK(backward.origin.log().front().time >= Instant(2h));
  CHECK(backward.origin.log().front().time <= Instant(2h + 1s));
}

TEST_CASE("after a sleep that passed the time, it asks within a second") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_before = given(world, 1h);
  world.network.at(Instant(10min), [&world] { world.clock.advance(3h); });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().front().time <= Instant(10min + 3h + 1s));
}

TEST_CASE("a deadline in the past ends the download before anything is asked") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_after = given(world, -1s);
  CHECK(fault_of(run(world, job)) == Fault::deadline);
  CHECK(world.origin.log().empty());
  CHECK(world.names().empty());
}

TEST_CASE("a start that is told for after the deadline ends the download at once, with place and start") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_after = given(world, 30min);
  auto headers = queued(7, "5");
  headers.add("Arkvory-Starts-At", "2027-01-01T00:47:00Z");
  world.origin.answer_next(1000, 503, headers);
  const auto result = run(world, job);
  CHECK(fault_of(result) == Fault::deadline);
  CHECK(world.clock.now() < Instant(1s));
  CHECK(result.failures.front().words.find("place 7") != std::string::npos);
  CHECK(result.failures.front().words.find("2027-01-01T00:30:00.000Z") != std::string::npos);
}

TEST_CASE("a deadline that passes in the queue ends the download then, and no later") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_after = given(world, 47s);
  world.origin.answer_next(1000, 503, queued(7, "5"));
  CHECK(fault_of(run(world, job)) == Fault::deadline);
  CHECK(world.clock.now() <= Instant(47s));
  CHECK(world.clock.now() >= Instant(40s));
}

TEST_CASE("a deadline that passes while an answer is awaited ends the download then") {
  World world(1);
  world.serve(1000);
  world.origin.set_delay(10min);
  auto job = world.job();
  job.shape.stall_timeout = 1h;
  job.shape.not_after = given(world, 47s);
  CHECK(fault_of(run(world, job)) == Fault::deadline);
  CHECK(world.clock.now() == Instant(47s));
}

TEST_CASE("a download that has begun is finished, whatever its deadline says") {
  World world(1);
  auto job = slow_download(world);
  job.shape.not_after = given(world, 2s);
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.clock.now() > Instant(4s));
}

TEST_CASE("a download that has begun is finished by the next run too") {
  World world(1);
  auto job = slow_download(world);
  job.shape.not_after = given(world, 3s);
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  world.clock.advance(1h);
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("the same command after a kill has the window it had; another text is another wish") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_after = GivenTime{"+1h", world.clock.wall_now() + 1h};
  world.origin.answer_next(1, 503, queued(7, "1000"));
  world.network.at(Instant(100s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
  world.network.at(Instant(100s), [&world] { world.network.wake(); });
  (void)world.run(job);
  world.kill();
  world.disk.stop_at(~std::uint64_t{0});
  world.clock.advance(2h);
  auto again = job;
  again.shape.not_after = GivenTime{"+1h", world.clock.wall_now() + 1h};
  SUBCASE("the same text") {
    const auto requests = world.origin.log().size();
    CHECK(fault_of(run(world, again)) == Fault::deadline);
    CHECK(world.origin.log().size() == requests);
    // That run has ended on it: from now on it is counted anew.
    CHECK(run(world, again).succeeded == 1);
  }
  SUBCASE("another text") {
    again.shape.not_after->given = "+60min";
    CHECK(run(world, again).succeeded == 1);
  }
}

TEST_CASE("an end before the window, even by a kill, forgets neither the download nor its moment") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_before = given(world, 5h);
  std::vector<std::string> recorded;
  world.network.at(Instant(10min), [&] { recorded = world.names(); });
  world.interrupt_at(Instant(1h));
  REQUIRE(world.run(job));
  CHECK(recorded == std::vector<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
  CHECK(world.origin.log().empty());
  job.shape.not_before = given(world, 5h);  // the same text, said an hour later
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().front().time >= Instant(5h));
  CHECK(world.origin.log().front().time < Instant(5h + 1s));
}

TEST_CASE("after a deadline has passed the same command means the next window, not the one that is over") {
  World world(1);
  world.serve(1000);
  auto job = world.job();
  job.shape.not_before = given(world, 1h);
  job.shape.not_after = given(world, 2h);
  world.origin.answer_next(2, 503, asked_back("3500"));
  CHECK(fault_of(run(world, job)) == Fault::deadline);
  const auto requests = world.origin.log().size();
  const auto again = world.clock.now();
  job.shape.not_before = given(world, 22h);
  job.shape.not_after = given(world, 24h);
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log()[requests].time >= again + 22h);
}
