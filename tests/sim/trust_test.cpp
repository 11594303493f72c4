// SPDX-License-Identifier: Apache-2.0
// Trust in ranges: what is held is compared before it is given up, mended where it is wrong, and never mixed.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPart = "/home/out.bin.arkvory-part";

// Bytes of the object that were asked for since `first`, counted from the log.
std::uint64_t sent_since(const World& world, std::size_t first) {
  std::uint64_t sum = 0;
  for (auto at = first; at < world.origin.log().size(); ++at) sum += world.origin.log()[at].bytes_sent;
  return sum;
}

// The bytes from `offset` on are others on the disk.
void damage(World& world, const char* path, std::size_t offset, std::size_t count) {
  auto content = *world.disk.content(path);
  for (auto at = offset; at < offset + count; ++at) content[at] = static_cast<char>(content[at] ^ 0x55);
  world.disk.put(path, content);
}

// From now on answers of the origin have these bytes wrong, at most `times` times.
void spoil(World& world, std::uint64_t offset, int times) {
  auto left = std::make_shared<int>(times);
  world.origin.amend([offset, left](const SimRequest& request, SimAnswer& answer) {
    const auto field = request.headers.first("Range");
    if (!field || answer.body.length == 0) return;
    const auto begin = parse_number(field->substr(6, field->find('-') - 6)).value_or(0);
    if (offset < begin || offset >= begin + answer.body.length || (*left)-- <= 0) return;
    answer.body.fill = [fill = answer.body.fill, at = offset - begin](std::uint64_t from, std::span<std::byte> bytes) {
      fill(from, bytes);
      if (at >= from && at < from + bytes.size()) bytes[at - from] ^= std::byte{0x55};
    };
  });
}

// The field has this value, and no other.
void set_field(SimAnswer& answer, const std::string& name, const std::string& value) {
  Headers headers;
  for (const auto& field : answer.head.headers.fields())
    if (field.name != name) headers.add(field.name, field.value);
  headers.add(name, value);
  answer.head.headers = headers;
}

// A server whose answers carry another tag each, as edges of a network do.
void tag_by_turns(World& world, int edges) {
  auto turn = std::make_shared<int>(0);
  world.origin.amend([turn, edges](const SimRequest&, SimAnswer& answer) {
    set_field(answer, "ETag", "\"edge" + std::to_string((*turn)++ % edges) + "\"");
  });
}

}  // namespace

TEST_CASE("edges with tags of their own: the bytes are compared, and nothing that is held is given up") {
  for (const bool with_digest : {true, false}) {
    CAPTURE(with_digest);
    World world(1);
    auto job = slow_download(world);
    if (!with_digest) job.shape.sha256.reset();
    tag_by_turns(world, 3);
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice changed") == 0);
    CHECK(world.events.count("notice same_bytes") >= 1);
    // Two comparisons, each of the last 64 KiB and at most one block.
    CHECK(world.origin.bytes_sent() <= 20 * kMiB + 2 * (8 * kMiB + 64 * kKiB) + 4 * kMiB);
  }
}

TEST_CASE("an object of the same size with another tag and other bytes is begun again, and never mixed") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  world.network.at(Instant(2500ms), [&world] { world.serve(20 * kMiB, 2); });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice changed") == 1);
  CHECK(world.events.count("notice same_bytes") == 0);
}

TEST_CASE("without validator and digest what an earlier run left is compared, and gone on with where it is the same") {
  for (const bool is_same : {true, false}) {
    CAPTURE(is_same);
    World world(1);
    auto job = slow_download(world);
    job.shape.sha256.reset();
    const SimOrigin::Object bare{.seed = 1, .size = 20 * kMiB, .etag = std::nullopt, .last_modified = std::nullopt};
    world.origin.put(World::kPath, bare);
    world.interrupt_at(Instant(2s));
    REQUIRE(world.run(job));
    const auto held = world.events.outcome->bytes;
    const auto first = world.origin.log().size();
    if (!is_same) {
      world.serve(20 * kMiB, 2);
      auto other = bare;
      other.seed = 2;
      world.origin.put(World::kPath, other);
    }
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice same_bytes") == (is_same ? 1 : 0));
    if (is_same) CHECK(sent_since(world, first) <= 20 * kMiB - held + 8 * kMiB + 64 * kKiB + 4 * kMiB);
  }
}

TEST_CASE("one version of an object with two sizes is a contradiction: asked again, then untrusted, all kept (B3)") {
  World world(1);
  const auto job = stopped_download(world);
  const auto held = world.disk.content(kPart);
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    const std::string range(*answer.head.headers.first("Content-Range"));
    set_field(answer, "Content-Range", range.substr(0, range.find('/')) + "/20975616");
  });
  const auto first = world.origin.log().size();
  CHECK(fault_of(run(world, job)) == Fault::untrusted);
  CHECK(world.origin.log().size() - first == 4);
  CHECK(world.disk.content(kPart) == held);
  world.origin.amend({});
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("what is held beyond the object's end is dropped where a digest can tell, and fetched anew where not (B10)") {
  for (const bool with_digest : {true, false}) {
    CAPTURE(with_digest);
    World world(1);
    auto job = slow_download(world);
    if (!with_digest) job.shape.sha256.reset();
    // The server has told of five bytes more than there are, and has said so of no other version.
    world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
      const bool is_early = request.time < Instant(5500ms);
      const std::string range(answer.head.headers.first("Content-Range").value_or(""));
      if (is_early) set_field(answer, "Content-Range", range.substr(0, range.find('/')) + "/20971525");
      if (request.headers.first("Range") != "bytes=20971520-20971524") return;
      answer.head = {.status = 416, .headers = {}};
      answer.head.headers.add("Content-Range", "bytes */20971520");
      answer.head.headers.add("ETag", "\"v1\"");
      answer.body = {};
    });
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice changed") == (with_digest ? 0 : 1));
    CHECK(world.origin.bytes_sent() == (with_digest ? 20 * kMiB : 40 * kMiB));
  }
}

TEST_CASE(
    "a range that begins elsewhere than asked is asked for again; if that goes on, one stream comes instead (B2)") {
  for (const bool always : {false, true}) {
    CAPTURE(always);
    World world(1);
    const auto job = stopped_download(world);
    auto wrong = std::make_shared<int>(0);
    world.origin.amend([always, wrong](const SimRequest& request, SimAnswer& answer) {
      if (answer.head.status != 206 || (!always && ++*wrong > 1)) return;
      const auto asked = request.headers.first("Range")->substr(6);
      const auto begin = parse_number(asked.substr(0, asked.find('-'))).value_or(0) + 100;
      set_field(answer, "Content-Range",
                "bytes " + std::to_string(begin) + std::string(asked.substr(asked.find('-'))) + "/20971520");
    });
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice no_ranges") == (always ? 1 : 0));
    CHECK(world.clock.now() < Instant(60s));
  }
}

TEST_CASE("a block that came wrong is found by fetching again, and written over once") {
  World world(1);
  world.serve(20 * kMiB);
  spoil(world, 9 * kMiB + 7, 1);
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.events.count("notice mending") == 1);
  CHECK(world.origin.bytes_sent() == 40 * kMiB);
}

TEST_CASE("bytes that come wrong each time end as integrity, and a second run does not search again") {
  World world(1);
  world.serve(20 * kMiB);
  spoil(world, 9 * kMiB + 7, 1000);
  CHECK(fault_of(run(world, world.job())) == Fault::integrity);
  CHECK(world.origin.bytes_sent() == 40 * kMiB);
  CHECK(world.names() == std::vector<std::string>{"out.bin.bad.arkvory-part"});
  CHECK(fault_of(run(world, world.job())) == Fault::integrity);
  CHECK(world.origin.bytes_sent() == 60 * kMiB);
  world.origin.amend({});
  CHECK(world.run(world.job())->succeeded == 1);
}

TEST_CASE("a block that somebody changed on the disk is fetched again, with a digest and without (E2)") {
  for (const bool with_digest : {true, false}) {
    CAPTURE(with_digest);
    World world(1);
    auto job = slow_download(world);
    if (!with_digest) job.shape.sha256.reset();
    world.interrupt_at(Instant(4s));
    REQUIRE(world.run(job));
    REQUIRE(world.events.outcome->bytes > 9 * kMiB);
    damage(world, kPart, 5 * kMiB, 100);
    const auto first = world.origin.log().size();
    const auto held = world.events.outcome->bytes;
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice mending") >= 1);
    CHECK(sent_since(world, first) <= 20 * kMiB - held + 8 * kMiB + 4 * kMiB);
  }
}

TEST_CASE("all is there but damaged, and the run before was ended before the rename: only the block is fetched (B9)") {
  World world(1);
  const auto job = slow_download(world);
  world.disk.on_operation([&](const DiskOperation& operation) {
    if (operation.action == DiskAction::rename && operation.path == World::kTarget) throw Stopped{operation.number};
    return 0;
  });
  CHECK_FALSE(world.run(job));
  world.disk.on_operation({});
  world.kill();
  damage(world, kPart, 17 * kMiB, 1);
  const auto first = world.origin.log().size();
  CHECK(run(world, job).succeeded == 1);
  CHECK(sent_since(world, first) == 4 * kMiB);
}

TEST_CASE("a server that turned to ignoring ranges loses nothing: its stream is compared and goes on (B1)") {
  World world(1);
  auto job = stopped_download(world);
  job.shape.sha256.reset();
  const auto held = world.events.outcome->bytes;
  world.origin.put(World::kPath, {.seed = 1, .size = 20 * kMiB, .etag = "\"v1\"", .ranges = false});
  std::uint64_t at_most = 0;
  world.network.at(Instant(60s), [&] { at_most = world.origin.bytes_sent(); });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice no_ranges") == 1);
  CHECK(held > 0);
}

TEST_CASE("a stream of other bytes is noticed where it meets what is held, and nothing is mixed") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  world.origin.put(
      World::kPath,
      {.seed = 1, .size = 20 * kMiB, .etag = std::nullopt, .last_modified = std::nullopt, .ranges = false});
  world.origin.cut_next(1, 3 * kMiB);
  world.network.at(Instant(2s), [&world] {
    world.serve(20 * kMiB, 2);
    world.origin.put(
        World::kPath,
        {.seed = 2, .size = 20 * kMiB, .etag = std::nullopt, .last_modified = std::nullopt, .ranges = false});
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice changed") == 1);
}

TEST_CASE("a server that says that it takes no ranges is asked for one stream, even where it honours them (B16)") {
  World world(1);
  auto job = slow_download(world);
  world.origin.amend([](const SimRequest&, SimAnswer& answer) { set_field(answer, "Accept-Ranges", "none"); });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().size() == 2);
}

TEST_CASE("once bytes are held, a refusal is asked about a few spaced times; then it counts, and all is kept (C19)") {
  for (const int status : {404, 403}) {
    for (const int times : {3, 4}) {
      CAPTURE(status);
      CAPTURE(times);
      World world(1);
      auto job = slow_download(world);
      job.shape.connections = 1;
      world.origin.cut_next(1, 500'000);
      world.network.at(Instant(300ms), [&world, status, times] { world.origin.answer_next(times, status); });
      const auto result = run(world, job);
      CHECK(result.succeeded == (times == 3 ? 1U : 0U));
      if (times == 3) continue;
      CHECK(fault_of(result) == (status == 404 ? Fault::refused : Fault::auth));
      CHECK(world.disk.content(kPart).has_value());
      CHECK(world.clock.now() > Instant(7s));
      CHECK(run(world, job).succeeded == 1);
    }
  }
}

TEST_CASE("a refusal before any byte is held counts at once (C20)") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(1, 404);
  CHECK(fault_of(run(world, world.job())) == Fault::refused);
  CHECK(world.origin.log().size() == 1);
}

TEST_CASE("a portal's page in the place of what is held is no object: asked again, and nothing is lost") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  world.origin.amend([&world](const SimRequest&, SimAnswer& answer) {
    answer.head.headers.add("Content-Type", "application/zip");
    if (world.clock.now() < Instant(1500ms) || world.clock.now() > Instant(5s)) return;
    answer.head = {.status = 200, .headers = {}};
    answer.head.headers.add("Content-Type", "text/html; charset=utf-8");
    answer.head.headers.add("Transfer-Encoding", "chunked");
    answer.body = SimBody::of("<html>please log in</html>");
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("notice changed") == 0);
  CHECK(world.origin.bytes_sent() <= 25 * kMiB);
}

TEST_CASE("encoded bytes stay encoded with --raw, with a name that says so, and with a digest of them (B21)") {
  for (int kind = 0; kind < 3; ++kind) {
    CAPTURE(kind);
    World world(1);
    auto job = slow_download(world);
    if (kind == 0) job.shape.raw = true;
    if (kind == 1) world.origin.put("/file.gz", {.seed = 1, .size = 20 * kMiB});
    if (kind == 1) job.url = *Url::parse(world.origin.url("/file.gz"));
    if (kind == 1) job.name.clear();
    if (kind < 2) job.shape.sha256.reset();
    world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
      CHECK_FALSE(request.decoded);
      answer.head.headers.add("Content-Encoding", "x-gzip");
    });
    const auto result = world.run(job);
    REQUIRE(result);
    CHECK(result->succeeded == 1);
    CHECK(world.disk.content(kind == 1 ? "/home/file.gz" : World::kTarget) == world.object());
    // Who knows that they are kept may take them in ranges.
    const auto ranges = world.origin.log().size();
    CHECK((kind == 2 ? ranges == 2 : ranges == 20));
  }
}

TEST_CASE("encoded bytes that nobody wants are decoded, in one stream (B20)") {
  for (const bool with_digest : {false, true}) {
    CAPTURE(with_digest);
    World world(1);
    world.serve(3 * kMiB);
    auto job = world.job();
    job.shape.range_size = kMiB;
    if (!with_digest) job.shape.sha256.reset();
    world.origin.amend([](const SimRequest& request, SimAnswer& answer) {
      answer.head.headers.add("Content-Encoding", "gzip");
      // As sent they are others; decoded they are the object's.
      if (!request.decoded) answer.body = SimBody::of(std::string(answer.body.length, 'z'));
    });
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("notice no_ranges") == 1);
  }
}

TEST_CASE(
    "what came in plain ranges is kept when the server begins to encode: the decoded stream is compared with it") {
  World world(1);
  auto job = slow_download(world);
  job.shape.sha256.reset();
  world.interrupt_at(Instant(2s));
  REQUIRE(world.run(job));
  const auto held = world.disk.content(kPart)->size();
  world.origin.put(World::kPath, {.seed = 1, .size = 20 * kMiB, .etag = "\"v1\"", .ranges = false});
  int decoded = 0;
  world.origin.amend([&](const SimRequest& request, SimAnswer& answer) {
    answer.head.headers.add("Content-Encoding", "gzip");
    if (!request.decoded) return;
    ++decoded;
    CHECK(world.disk.content(kPart)->size() >= held);
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(decoded == 1);
  CHECK(world.events.count("notice changed") == 0);
}

TEST_CASE("a disk that takes long is no silence of the server's, and leaves a farewell its time") {
  World world(1);
  auto job = slow_download(world);
  world.origin.set_rate(256 * kKiB);
  job.shape.stall_timeout = 10s;
  job.shape.max_retries = 0;
  job.shape.max_attempts = 1;
  world.origin.cut_next(1, 300'000);
  world.origin.amend(
      [](const SimRequest&, SimAnswer& answer) { answer.head.headers.add("Arkvory-Download-Class", "release"); });
  world.disk.on_operation([&world](const DiskOperation& operation) {
    if (operation.action == DiskAction::sync) world.clock.advance(30s);
    return 0;
  });
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("waiting fault") <= 1);  // for the answer that was cut
  CHECK(std::any_of(world.origin.log().begin(), world.origin.log().end(),
                    [](const auto& entry) { return entry.method == Method::remove && entry.status == 204; }));
}
