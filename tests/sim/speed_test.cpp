// SPDX-License-Identifier: Apache-2.0
// Connections that adapt to what a server bears, and ranges that are issued again because they come far too slowly.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

// Refuses, in one way or another, whatever comes while `most` answers of a second each are being sent.
void bear_at_most(World& world, int most, const std::function<void(SimAnswer&)>& refuse) {
  auto running = std::make_shared<int>(0);
  world.origin.amend([&world, most, refuse, running](const SimRequest&, SimAnswer& answer) {
    if (*running == most) return refuse(answer);
    ++*running;
    world.network.at(world.clock.now() + 1s, [running] { --*running; });
  });
}

// Of 64 MiB, at 1 MiB/s a connection.
Job large_download(World& world) {
  world.serve(64 * kMiB);
  world.origin.set_rate(kMiB);
  return world.job();
}

}  // namespace

TEST_CASE("a server that bears two connections and resets the others is served with two, at no cost") {
  for (const bool reset : {true, false}) {
    CAPTURE(reset);
    World world(1);
    auto job = slow_download(world);
    job.shape.max_retries = 0;
    job.shape.max_attempts = 1;
    bear_at_most(world, 2, [reset](SimAnswer& answer) {
      if (reset) {
        answer.fails = EndKind::cut;
      } else {
        answer.head = {.status = 500, .headers = {}};
        answer.body = {};
      }
    });
    const auto result = run(world, job);
    if (!result.failures.empty()) FAIL_CHECK(result.failures.front().text());
    CHECK(world.origin.bytes_sent() == 20 * kMiB);
    CHECK(world.events.count("waiting fault") == 0);
    // Twenty ranges, and few that came in vain.
    CHECK(world.origin.log().size() <= 30);
    CHECK(world.clock.now() < Instant(13s));
  }
}

TEST_CASE("a request that fails by chance beside others costs a connection for a while only") {
  World world(1);
  auto job = large_download(world);
  job.shape.range_size = kMiB;
  world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
    if (request.number == 14) answer.fails = EndKind::cut;
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.clock.now() < Instant(19s));  // with one connection fewer for good: 21 s
}

TEST_CASE("a range below an eighth of its siblings' rate for 10 s is issued again from where it is") {
  World world(1);
  auto job = large_download(world);
  job.shape.range_size = 16 * kMiB;
  world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
    if (request.number == 3) answer.rate = 20 * kKiB;
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.clock.now() < Instant(30s));
  // No byte twice but what was on its way.
  CHECK(world.origin.bytes_sent() <= 64 * kMiB + 64 * kKiB);
  CHECK(world.origin.log().size() <= 7);
}

TEST_CASE("a server that is slow for all is not asked again and again") {
  World world(1);
  world.serve(4 * kMiB);
  world.origin.set_rate(10 * kKiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().size() <= 6);
}

TEST_CASE("--limit-rate is for all connections together, and one that runs alone has all of it") {
  for (const std::uint64_t size : {400 * kKiB, 8 * kMiB}) {
    CAPTURE(size);
    World world(1);
    world.serve(size);
    auto job = world.job();
    job.shape.range_size = kMiB;
    job.shape.limit_rate = 100 * kKiB;
    CHECK(run(world, job).succeeded == 1);
    const auto seconds = std::chrono::duration<double>(world.clock.now() - Instant()).count();
    const auto least = static_cast<double>(size) / (100.0 * kKiB);
    CHECK(seconds >= least * 0.9);
    CHECK(seconds <= least * 1.1 + 1);
  }
}

TEST_CASE("a range that stalls at its end is asked again for its tail alone (C5)") {
  World world(1);
  world.serve(50'332'425);
  auto job = world.job();
  job.shape.stall_timeout = 5s;
  const auto almost = 8 * kMiB / 100 * 99;
  world.origin.amend([almost](const SimRequest& request, SimAnswer& answer) {
    if (request.number != 4) return;
    answer.cut_after = almost;
    answer.cut_as = std::nullopt;
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.clock.now() < Instant(7s));
  CHECK(world.origin.bytes_sent() <= 50'332'425 + 64 * kKiB);
}
