// SPDX-License-Identifier: Apache-2.0
// The client whole, in virtual time: what a download does when the world is kind, and in each single mishap.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/size.h"
#include "tests/sim/world.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

BatchResult run(World& world, const Job& job) {
  const auto result = world.run(job);
  REQUIRE(result);
  check_promises(world, *result);
  return *result;
}

Fault fault_of(const BatchResult& result) {
  REQUIRE(result.failures.size() == 1);
  return result.failures.front().fault;
}

}  // namespace

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

TEST_CASE("a wrong digest leaves no target, keeps what came aside, and a second run fetches once more (E7)") {
  World world(1);
  world.serve(3 * kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.sha256 = Sha256Digest::from_hex(std::string(64, 'a'));
  CHECK(fault_of(run(world, job)) == Fault::integrity);
  CHECK(world.names() == std::vector<std::string>{"out.bin.bad.arkvory-part"});
  CHECK(world.origin.bytes_sent() == 3 * kMiB);
  CHECK(fault_of(run(world, job)) == Fault::integrity);
  CHECK(world.origin.bytes_sent() == 6 * kMiB);
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
  job.force = true;
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

TEST_CASE("no network is weather: it is waited out, however long, at no cost (C18)") {
  World world(1);
  world.serve(1000);
  world.network.set_online(false);
  world.network.at(Instant(2h), [&world] { world.network.set_online(true); });
  auto job = world.job();
  job.shape.max_retries = 0;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("waiting network") > 10);
}

TEST_CASE("busy answers are waited out and cost nothing") {
  World world(1);
  world.serve(1000);
  Headers busy;
  busy.add("Retry-After", "3");
  world.origin.answer_next(500, 503, busy);
  auto job = world.job();
  job.shape.max_retries = 0;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().size() == 501);
  CHECK(world.clock.now() - Instant() >= 1500s);
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
}

TEST_CASE("a signal stops with everything held on disk, and the next run asks only for the rest") {
  World world(1);
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
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
  world.serve(20 * kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.origin.set_rate(kMiB);
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
  world.serve(20 * kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.origin.set_rate(kMiB);
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
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
  world.serve(20 * kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.origin.set_rate(kMiB);
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  const auto before = world.origin.bytes_sent();
  job.resume = false;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.bytes_sent() == before + 20 * kMiB);
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
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  const auto part = *world.disk.content("/home/out.bin.arkvory-part");
  world.disk.put("/home/out.bin.arkvory-part", part + std::string(21 * kMiB, 'x'));
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("a part file that was cut by hand is filled again (E2)") {
  World world(1);
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  const auto part = *world.disk.content("/home/out.bin.arkvory-part");
  world.disk.put("/home/out.bin.arkvory-part", part.substr(0, kMiB));
  CHECK(run(world, job).succeeded == 1);
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

TEST_CASE("encoded bytes are kept only where the digest is of them (B21); else they are refused") {
  World world(1);
  world.serve(1000);
  world.origin.put(World::kPath, {.seed = 1, .size = 1000, .ranges = false});
  world.origin.amend([](const SimRequest&, SimAnswer& answer) { answer.head.headers.add("Content-Encoding", "gzip"); });
  auto plain = world.job();
  plain.shape.sha256.reset();
  CHECK(fault_of(run(world, plain)) == Fault::untrusted);
  CHECK(run(world, world.job()).succeeded == 1);
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

TEST_CASE("a wait that a busy server asked for is not cut short by a sibling's fault") {
  World world(1);
  world.serve(4 * kMiB);
  world.origin.set_rate(kMiB);
  int requests = 0;
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    ++requests;
    if (requests == 2) {
      answer.head = {.status = 503, .headers = {}};
      answer.head.headers.add("Retry-After", "30");
      answer.body = {};
    }
    if (requests == 1) answer.cut_after = 700'000;
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.connections = 2;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().at(2).time >= Instant(30s));
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

TEST_CASE("a target that equals the digest needs no state any more, whatever it spoke of") {
  World world(1);
  world.serve(20 * kMiB);
  world.origin.set_rate(kMiB);
  auto job = world.job();
  job.shape.range_size = kMiB;
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
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
