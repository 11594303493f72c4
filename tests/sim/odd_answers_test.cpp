// SPDX-License-Identifier: Apache-2.0
// Answers that are not what was asked for: no ranges, other objects, redirects, encodings.
#include <doctest/doctest.h>

#include <map>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

TEST_CASE("a server that ignores ranges is read as one stream, and begins at zero after a cut (B1)") {
  World world(1);
  world.serve(3 * kMiB);
  world.origin.put(World::kPath, {.seed = 1, .size = 3 * kMiB, .etag = "\"v1\"", .ranges = false});
  world.origin.cut_next(1, kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == 4 * kMiB);
}

TEST_CASE("a stream that is always cut at the same place ends within the budget, with no target") {
  World world(1);
  world.serve(3 * kMiB);
  world.origin.put(World::kPath, {.seed = 1, .size = 3 * kMiB, .etag = "\"v1\"", .ranges = false});
  world.origin.cut_next(1000, kMiB);
  CHECK(fault_of(run(world, world.job())) == Fault::network);
  CHECK(world.origin.log().size() <= 22);
}

TEST_CASE("ranges without Content-Range are not trusted: one plain stream (B6)") {
  World world(1);
  world.serve(3 * kMiB);
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    if (answer.head.status != 206) return;
    Headers kept;
    for (const auto& field : answer.head.headers.fields())
      if (field.name != "Content-Range") kept.add(field.name, field.value);
    answer.head.headers = kept;
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice no_ranges") == 1);
}

TEST_CASE("a redirect to another origin is followed; a signed URL that expires is renewed once for all ranges (D1)") {
  World world(1);
  SimOrigin cdn(world.network, world.clock, "http://cdn.example");
  world.serve(8 * kMiB);
  cdn.put("/signed", {.seed = 1, .size = 8 * kMiB});
  int signature = 0;
  std::map<std::string, int> uses;
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    answer.head = {.status = 302, .headers = {}};
    answer.head.headers.add("Location", cdn.url("/signed?sig=" + std::to_string(++signature)));
    answer.body = {};
  });
  cdn.amend([&](const SimRequest& request, SimAnswer& answer) {
    if (++uses[request.url.query()] <= 2) return;
    answer.head = {.status = 403, .headers = {}};
    answer.body = {};
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.headers.add("Authorization", "Bearer secret");
  CHECK(run(world, job).succeeded == 1);
  // Eight ranges, two for each signature: renewed once each time, not once for every connection that met the expiry.
  CHECK(world.origin.log().size() <= 8);
  for (const auto& entry : cdn.log()) {
    CHECK_FALSE(entry.headers.has("Authorization"));
    CHECK_FALSE(entry.headers.has("Arkvory-Download-Id"));
  }
}

TEST_CASE("an answer that still came by an expired URL makes no other request ask for a fresh one (D1)") {
  World world(1);
  SimOrigin cdn(world.network, world.clock, "http://cdn.example");
  world.serve(16 * kMiB);
  cdn.put("/signed", {.seed = 1, .size = 16 * kMiB});
  cdn.set_rate(10 * kMiB);
  int signature = 0;
  std::map<std::string, int> uses;
  world.origin.set_delay(50ms);
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    answer.head = {.status = 302, .headers = {}};
    answer.head.headers.add("Location", cdn.url("/signed?sig=" + std::to_string(++signature)));
    answer.body = {};
  });
  cdn.amend([&](const SimRequest& request, SimAnswer& answer) {
    const auto use = ++uses[request.url.query()];
    // The second answer comes while the third has been refused already and a fresh URL is asked for.
    if (use == 2) answer.delay = 20ms;
    if (use <= 2) return;
    answer.head = {.status = 403, .headers = {}};
    answer.body = {};
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().size() <= 8);
}

TEST_CASE("a redirect to itself ends as untrusted after 20 (D2)") {
  World world(1);
  world.serve(1000);
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    answer.head = {.status = 302, .headers = {}};
    answer.head.headers.add("Location", World::kPath);
    answer.body = {};
  });
  CHECK(fault_of(run(world, world.job())) == Fault::untrusted);
  CHECK(world.origin.log().size() == 21);
}

TEST_CASE("an object that changes while it comes is begun again, and never mixed") {
  World world(1);
  world.serve(6 * kMiB, 1);
  world.origin.set_rate(kMiB);
  world.network.at(Instant(500ms), [&world] { world.serve(6 * kMiB + 10, 2); });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.sha256.reset();
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice changed") == 1);
}

TEST_CASE("an object that changes at every request ends as changed after three generations (B18)") {
  World world(1);
  world.serve(6 * kMiB, 1);
  std::uint64_t version = 1;
  world.origin.amend([&](const SimRequest&, SimAnswer&) {
    ++version;
    world.origin.put(
        World::kPath,
        {.seed = version, .size = 6 * kMiB + version * 10'000, .etag = "\"v" + std::to_string(version) + "\""});
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.sha256.reset();
  const auto result = world.run(job);
  REQUIRE(result);
  CHECK(fault_of(*result) == Fault::changed);
  CHECK_FALSE(world.disk.content(World::kTarget));
  CHECK(world.origin.log().size() == 24);  // eight questions a generation
}

TEST_CASE("a stream never goes past the size that is known, whatever a later answer brings") {
  World world(1);
  world.serve(300'000);
  world.origin.put(World::kPath, {.seed = 1, .size = 300'000, .etag = "\"v1\"", .ranges = false});
  world.origin.cut_next(1, 1000);
  world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
    if (request.number < 2) return;
    Headers chunked;
    for (const auto& field : answer.head.headers.fields())
      if (field.name != "Content-Length") chunked.add(field.name, field.value);
    chunked.add("Transfer-Encoding", "chunked");
    answer.head.headers = chunked;
    answer.body.length += 4000;
  });
  CHECK(run(world, world.job()).succeeded == 1);
}

TEST_CASE("a file of the same size without a tag that changes its date is another object") {
  World world(1);
  const auto serve = [&world](std::uint64_t seed, const char* modified) {
    world.serve(6 * kMiB, seed);
    world.origin.put(World::kPath, {.seed = seed, .size = 6 * kMiB, .etag = std::nullopt, .last_modified = modified});
  };
  serve(1, "Fri, 01 Jan 2027 00:00:00 GMT");
  world.origin.set_rate(kMiB);
  world.network.at(Instant(500ms), [&] { serve(2, "Fri, 01 Jan 2027 00:00:01 GMT"); });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.sha256.reset();
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice changed") == 1);
}

TEST_CASE("one odd answer gives up nothing that is held: a 206 without Content-Range, a 416, a portal's page") {
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    World world(1);
    world.serve(20 * kMiB);
    world.origin.set_rate(kMiB);
    auto job = world.job();
    job.shape.range_size = kMiB;
    Headers headers;
    headers.add("Content-Type", "text/html");
    if (kind == 2) headers.add("Content-Length", "5");
    world.network.at(Instant(1500ms), [&world, kind, headers] {
      world.origin.answer_next(1, kind == 0 ? 206 : kind == 1 ? 416 : 200, headers, "hello");
    });
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice changed") + world.events.count("notice no_ranges") == 0);
    CHECK(world.origin.bytes_sent() <= 24 * kMiB);
  }
}

TEST_CASE("streams that each come a little further end within the attempts") {
  World world(1);
  world.serve(3 * kMiB);
  world.origin.put(World::kPath, {.seed = 1, .size = 3 * kMiB, .etag = "\"v1\"", .ranges = false});
  std::uint64_t cut = 0;
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) { answer.cut_after = cut += 1000; });
  auto job = world.job();
  job.shape.max_attempts = 3;
  CHECK(fault_of(run(world, job)) == Fault::network);
  CHECK(world.origin.log().size() <= 5);
}
