// SPDX-License-Identifier: Apache-2.0
// The client whole, in virtual time: what a download does when the world is kind, and when it fails it plainly.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

TEST_CASE("a small object comes with one request, verified, and leaves nothing beside it") {
  World world(1);
  world.serve(1000);
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.origin.log().size() == 1);
  CHECK(world.origin.bytes_sent() == 1000);
  CHECK(world.events.outcome->sha256 == world.digest());
  CHECK(world.events.lines.front() == "start 0");
  CHECK(world.events.lines.back() == "end ok");
}

TEST_CASE("an object of many ranges comes over several connections, each byte once") {
  World world(1);
  world.serve(5 * kMiB + 321);
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == 5 * kMiB + 321);
  CHECK(world.origin.log().size() == 6);
}

TEST_CASE("an empty object is an empty file (B19)") {
  World world(1);
  world.serve(0);
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.disk.content(World::kTarget) == "");
}

TEST_CASE("without -o the answer names the target") {
  World world(1);
  world.serve(1000);
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    answer.head.headers.add("Content-Disposition", "attachment; filename=\"out.bin\"");
  });
  auto job = world.job();
  job.name.clear();
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("without -o an existing file of the answer's name is compared, not overwritten") {
  World world(1);
  world.serve(1000);
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    answer.head.headers.add("Content-Disposition", "attachment; filename=\"out.bin\"");
  });
  world.disk.put(World::kTarget, world.object());
  auto job = world.job();
  job.name.clear();
  CHECK(run(world, job).succeeded == 1);
  world.disk.put(World::kTarget, world.object());
  job.shape.sha256.reset();
  const auto again = world.run(job);
  REQUIRE(again);
  CHECK(fault_of(*again) == Fault::local);
}

TEST_CASE(
    "a wrong digest leaves no target and keeps what came aside: fetched once more to find what came wrong, and once by "
    "a second run (E7)") {
  World world(1);
  world.serve(3 * kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.sha256 = Sha256Digest::from_hex(std::string(64, 'a'));
  CHECK(fault_of(run(world, job)) == Fault::integrity);
  CHECK(world.names() == std::vector<std::string>{"out.bin.bad.arkvory-part"});
  CHECK(world.origin.bytes_sent() == 6 * kMiB);
  CHECK(fault_of(run(world, job)) == Fault::integrity);
  CHECK(world.origin.bytes_sent() == 9 * kMiB);
}

TEST_CASE("the server's own digest is checked where the user gives none (B23)") {
  World world(1);
  world.serve(1000);
  world.origin.put(World::kPath,
                   {.seed = 1, .size = 1000, .repr_digest = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"});
  auto job = world.job();
  job.shape.sha256.reset();
  CHECK(fault_of(run(world, job)) == Fault::integrity);
}

TEST_CASE("an existing target that equals the digest needs no request; another one is refused (D8)") {
  World world(1);
  world.serve(1000);
  world.disk.put(World::kTarget, world.object());
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.origin.log().empty());
  world.disk.put(World::kTarget, "something else");
  const auto refused = world.run(world.job());
  REQUIRE(refused);
  CHECK(fault_of(*refused) == Fault::local);
  CHECK(world.disk.content(World::kTarget) == "something else");
  CHECK(world.origin.log().empty());
}

TEST_CASE("with --force another target is replaced once the new one is whole") {
  World world(1);
  world.serve(1000);
  world.disk.put(World::kTarget, "something else");
  auto job = world.job();
  job.shape.force = true;
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("every body cut after half a mebibyte costs no retry and no byte twice (C1)") {
  World world(1);
  world.serve(4'195'081);
  world.origin.cut_next(1000, 512 * kKiB);
  auto job = world.job();
  job.shape.max_retries = 0;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == 4'195'081);
}

TEST_CASE("a stalled answer is asked for again from where it stands after the stall time-out (C3)") {
  World world(1);
  world.serve(4'195'081);
  world.origin.cut_next(1, 2'000'000, std::nullopt);
  auto job = world.job();
  job.shape.stall_timeout = 5s;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == 4'195'081);
  CHECK(world.clock.now() - Instant() < 7s);
}

TEST_CASE("a server that restarts is waited for, by one request at a time (C15)") {
  World world(1);
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  world.origin.down_between(Instant(3s), Instant(8s));
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  const auto refused = std::count_if(world.origin.log().begin(), world.origin.log().end(),
                                     [](const auto& entry) { return entry.status == 0; });
  CHECK(refused <= 12);
}

TEST_CASE("an outage costs one fault a round however many ranges are left: refused, reset, 500, heads without bytes") {
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    World world(1);
    world.serve(20 * kMiB);
    world.origin.set_rate(kMiB);
    auto job = world.job();
    job.shape.range_size = 64 * kKiB;
    job.shape.connections = 16;
    const auto down = [&world] { return world.clock.now() > Instant(500ms) && world.clock.now() < Instant(5s); };
    if (kind == 0) world.origin.down_between(Instant(500ms), Instant(5s));
    world.origin.amend([&down, kind](const SimRequest&, SimAnswer& answer) {
      if (!down()) return;
      if (kind == 1) answer.fails = EndKind::cut;
      if (kind == 2) answer.head = {.status = 500, .headers = {}};
      if (kind == 2) answer.body = {};
      if (kind == 3) answer.cut_after = 0;
    });
    CHECK(run(world, job).succeeded == 1);
  }
}

TEST_CASE("a server that stays away ends the download with what is held kept (exit 5)") {
  World world(1);
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  world.origin.down_between(Instant(3s), Instant(24h));
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(fault_of(run(world, job)) == Fault::network);
  CHECK(world.names() == std::vector<std::string>{"out.bin.arkvory", "out.bin.arkvory-part"});
  CHECK(world.clock.now() - Instant() < 10min);
  const auto sent = world.origin.bytes_sent();
  CHECK(sent > 0);
  world.clock.advance_to(Instant(25h));
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() <= 20 * kMiB + 4 * kMiB);
}

TEST_CASE("refusals for good end at once with what is needed to act: 404, 410, 401, 403") {
  for (const auto& [status, fault] :
       {std::pair{404, Fault::refused}, {410, Fault::refused}, {401, Fault::auth}, {403, Fault::auth}}) {
    World world(1);
    world.serve(1000);
    Headers headers;
    headers.add("Content-Type", "application/problem+json");
    world.origin.answer_next(1, status, headers, R"({"title":"No","detail":"the album is gone","code":"not_found"})");
    const auto result = run(world, world.job());
    CHECK(fault_of(result) == fault);
    CHECK(result.failures.front().words.find("the album is gone") != std::string::npos);
    CHECK(world.origin.log().size() == 1);
    CHECK(world.names().empty());
  }
}

TEST_CASE("no room on the disk is found before the bytes come, and the need is named") {
  World world(1);
  world.serve(20 * kMiB);
  world.disk.set_free_space(64 * kMiB);
  const auto result = run(world, world.job());
  CHECK(fault_of(result) == Fault::local);
  CHECK(result.failures.front().words.find("20.0 MiB") != std::string::npos);
  CHECK(world.origin.bytes_sent() == 0);
}

TEST_CASE("an object larger than --max-size is refused") {
  World world(1);
  world.serve(20 * kMiB);
  auto job = world.job();
  job.shape.max_size = kMiB;
  CHECK(fault_of(run(world, job)) == Fault::local);
  CHECK(world.names().empty());
}
