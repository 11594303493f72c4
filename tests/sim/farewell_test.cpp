// SPDX-License-Identifier: Apache-2.0
// DELETE after the last byte of a download whose answers were cut: only where a server of ours holds a seat for it, for
// elsewhere DELETE on a URL deletes the object.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

void speak_arkvory(World& world) {
  world.origin.amend(
      [](const SimRequest&, SimAnswer& answer) { answer.head.headers.add("Arkvory-Download-Class", "release"); });
}

std::vector<SimOrigin::Entry> farewells(const SimOrigin& origin) {
  std::vector<SimOrigin::Entry> found;
  std::copy_if(origin.log().begin(), origin.log().end(), std::back_inserter(found),
               [](const auto& entry) { return entry.method == Method::remove; });
  return found;
}

}  // namespace

TEST_CASE("an answer that was cut is followed by one DELETE with the id, after the last byte") {
  World world(1);
  auto job = slow_download(world);
  job.headers.add("Authorization", "Bearer secret");
  speak_arkvory(world);
  world.origin.cut_next(1, 300'000);
  CHECK(run(world, job).succeeded == 1);
  const auto all = farewells(world.origin);
  REQUIRE(all.size() == 1);
  CHECK(world.origin.log().back().method == Method::remove);
  CHECK(all[0].headers.first("Arkvory-Download-Id") == world.origin.log().front().headers.first("Arkvory-Download-Id"));
  CHECK(all[0].headers.first("Authorization") == "Bearer secret");
  CHECK_FALSE(all[0].headers.has("Range"));
}

TEST_CASE("a download that was killed and taken up again says farewell, a whole one does not") {
  World world(1);
  auto job = slow_download(world);
  speak_arkvory(world);
  SUBCASE("stopped before") {
    world.interrupt_at(Instant(2s));
    REQUIRE(world.run(job));
    CHECK(farewells(world.origin).empty());
    CHECK(run(world, job).succeeded == 1);
    CHECK(farewells(world.origin).size() == 1);
  }
  SUBCASE("killed before") {
    world.network.at(Instant(3s), [&world] { world.disk.stop_at(world.disk.operations() + 1); });
    CHECK_FALSE(world.run(job));
    world.kill();
    CHECK(run(world, job).succeeded == 1);
    CHECK(farewells(world.origin).size() == 1);
  }
  SUBCASE("whole") {
    CHECK(run(world, job).succeeded == 1);
    CHECK(farewells(world.origin).empty());
  }
}

TEST_CASE("a server that never spoke of Arkvory is never sent DELETE, whatever was cut") {
  World world(1);
  const auto job = stopped_download(world);
  world.origin.cut_next(3, 300'000);
  CHECK(run(world, job).succeeded == 1);
  CHECK(farewells(world.origin).empty());
}

TEST_CASE("what another origin says of itself sends DELETE nowhere") {
  World world(1);
  SimOrigin cdn(world.network, world.clock, "http://cdn.example");
  world.serve(8 * kMiB);
  cdn.put("/there", {.seed = 1, .size = 8 * kMiB});
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    answer.head = {.status = 302, .headers = {}};
    answer.head.headers.add("Location", cdn.url("/there"));
    answer.body = {};
  });
  cdn.amend([](const SimRequest&, SimAnswer& answer) { answer.head.headers.add("Arkvory-Download-Class", "bulk"); });
  cdn.cut_next(1, 300'000);
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(farewells(world.origin).empty());
  CHECK(farewells(cdn).empty());
}

TEST_CASE("a server that speaks of Arkvory no more is another one, and is not sent DELETE") {
  World world(1);
  auto job = slow_download(world);
  speak_arkvory(world);
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  world.origin.amend({});
  CHECK(run(world, job).succeeded == 1);
  CHECK(farewells(world.origin).empty());
}

TEST_CASE("a farewell that is not answered delays the end by seconds, and the file not at all") {
  for (const int kind : {0, 1, 2}) {
    CAPTURE(kind);
    World world(1);
    auto job = slow_download(world);
    Instant asked{};
    world.origin.cut_next(1, 300'000);
    world.origin.amend([&, kind](const SimRequest& request, SimAnswer& answer) {
      answer.head.headers.add("Arkvory-Download-Class", "release");
      if (request.method != Method::remove) return;
      asked = request.time;
      if (kind == 0) answer.silent = true;
      if (kind == 1) answer.fails = EndKind::cut;
      if (kind == 2) answer.head.status = 500;
    });
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.clock.now() - asked <= 3s);
    CHECK(world.events.lines.back() == "end ok");
  }
}

TEST_CASE("a signal during the farewell ends a run that was well") {
  World world(1);
  auto job = slow_download(world);
  world.origin.cut_next(1, 300'000);
  world.origin.amend([&](const SimRequest& request, SimAnswer& answer) {
    answer.head.headers.add("Arkvory-Download-Class", "release");
    if (request.method == Method::remove) answer.silent = true;
  });
  const auto whole = [] {
    World other(1);
    auto same = slow_download(other);
    REQUIRE(other.run(same));
    return other.clock.now();
  }();
  world.interrupt_at(whole + 2500ms);
  const auto result = world.run(job);
  REQUIRE(result);
  CHECK(result->failures.empty());
  check_promises(world, *result);
}

TEST_CASE("a server that stands behind a gate of ours is never sent DELETE") {
  World world(1);
  const auto job = slow_download(world);
  world.origin.answer_next(1, 503, queued(1, "2"));
  world.origin.cut_next(1, 300'000);
  CHECK(run(world, job).succeeded == 1);
  CHECK(farewells(world.origin).empty());
}
