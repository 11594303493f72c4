// SPDX-License-Identifier: Apache-2.0
// What the simulated network and its origin do beyond the Transport's contract: the script of a test is kept to.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/sim/sim_origin.h"
#include "tests/sim/simulated_network.h"
#include "tests/support/pattern.h"
#include "tests/transport/collector.h"

namespace arkvory::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Collector;
using test::request_for;
using test::wait_for;
using test::wait_for_end;

struct World {
  VirtualClock clock;
  SimulatedNetwork network{clock, 1};
  SimOrigin origin{network, clock, "http://files.example"};

  void fetch(Collector& sink, Headers headers = {}) {
    network.start(request_for(origin.url("/f"), Method::get, std::move(headers)), sink);
    REQUIRE(wait_for_end(network, clock, sink));
  }
};

Headers field(const std::string& name, const std::string& value) {
  Headers headers;
  headers.add(name, value);
  return headers;
}

std::vector<std::byte> slice(std::uint64_t seed, std::uint64_t begin, std::uint64_t end) {
  const auto all = test::pattern(seed, end);
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.end()};
}

}  // namespace

TEST_CASE("the simulated origin answers ranges, and logs what it sent") {
  World world;
  world.origin.put("/f", {.seed = 7, .size = 100'000});
  Collector sink;
  world.fetch(sink, field("Range", "bytes=1001-99999999"));
  CHECK(sink.status() == 206);
  CHECK(sink.head->headers.first("Content-Range") == "bytes 1001-99999/100000");
  CHECK(sink.head->headers.has("Date"));
  CHECK(sink.body == slice(7, 1001, 100'000));
  REQUIRE(world.origin.log().size() == 1);
  CHECK(world.origin.log().front().bytes == ByteRange(1001, 100'000));
  CHECK(world.origin.log().front().bytes_sent == 98'999);
  Collector beyond;
  world.fetch(beyond, field("Range", "bytes=100000-"));
  CHECK(beyond.status() == 416);
  CHECK(beyond.head->headers.first("Content-Range") == "bytes */100000");
}

TEST_CASE("If-Range with the tag of an object that changed gets the whole new one") {
  World world;
  world.origin.put("/f", {.seed = 1, .size = 1000});
  auto headers = field("Range", "bytes=0-9");
  headers.add("If-Range", "\"v1\"");
  Collector same;
  world.fetch(same, headers);
  CHECK(same.status() == 206);
  world.origin.put("/f", {.seed = 2, .size = 900, .etag = "\"v2\""});
  Collector changed;
  world.fetch(changed, headers);
  CHECK(changed.status() == 200);
  CHECK(changed.body == test::pattern(2, 900));
}

TEST_CASE("a rate takes its time, and a delay before the head too") {
  World world;
  world.origin.put("/f", {.size = 1'000'000});
  world.origin.set_rate(100'000);
  world.origin.set_delay(seconds(2));
  Collector sink;
  const auto begin = world.clock.now();
  world.fetch(sink);
  CHECK(world.clock.now() - begin == seconds(12) + milliseconds(1));
  CHECK(sink.body.size() == 1'000'000);
}

TEST_CASE("scripted answers come first and in order") {
  World world;
  world.origin.put("/f", {.size = 10});
  world.origin.answer_next(2, 503, field("Retry-After", "5"), "busy");
  for (const int status : {503, 503, 200}) {
    Collector sink;
    world.fetch(sink);
    CHECK(sink.status() == status);
  }
}

TEST_CASE("cuts and silences come after the bytes they were told") {
  World world;
  world.origin.put("/f", {.size = 1'000'000});
  world.origin.cut_next(1, 70'000);
  world.origin.cut_next(1, 5, std::nullopt);
  Collector cut;
  world.fetch(cut);
  CHECK(cut.kind() == EndKind::cut);
  CHECK(cut.body.size() == 70'000);
  Collector silent;
  world.network.start(request_for(world.origin.url("/f")), silent);
  CHECK(!wait_for_end(world.network, world.clock, silent));
  CHECK(silent.body.size() == 5);
}

TEST_CASE("a server that goes down cuts what runs and comes up at its time (C15)") {
  World world;
  world.origin.put("/f", {.size = 1'000'000});
  world.origin.set_rate(100'000);
  const auto begin = world.clock.now();
  world.origin.down_between(begin + seconds(3), begin + seconds(8));
  Collector cut;
  world.fetch(cut);
  CHECK(cut.kind() == EndKind::cut);
  CHECK(world.clock.now() == begin + seconds(3));
  Collector refused;
  world.fetch(refused);
  CHECK(refused.kind() == EndKind::not_connected);
  world.network.wait_until(begin + seconds(8));
  Collector again;
  world.fetch(again);
  CHECK(again.kind() == EndKind::complete);
}

TEST_CASE("without a network what runs is cut and nothing begins (C18)") {
  World world;
  world.origin.put("/f", {.size = 10});
  world.network.set_online(false);
  Collector sink;
  world.fetch(sink);
  CHECK(sink.kind() == EndKind::no_network);
  CHECK(world.origin.log().empty());
  world.network.set_online(true);
  Collector again;
  world.fetch(again);
  CHECK(again.kind() == EndKind::complete);
}

TEST_CASE("what happens in the world happens in time, and may wake the client") {
  World world;
  std::vector<Instant> happened;
  const auto begin = world.clock.now();
  world.network.at(begin + seconds(2), [&] {
    happened.push_back(world.clock.now());
    world.network.wake();
  });
  world.network.at(begin + seconds(1), [&] { happened.push_back(world.clock.now()); });
  world.network.wait_until(begin + seconds(60));
  CHECK(happened == std::vector<Instant>{begin + seconds(1), begin + seconds(2)});
  CHECK(world.clock.now() == begin + seconds(2));
}

TEST_CASE("two transfers share the time: neither runs ahead in one wait") {
  World world;
  world.origin.put("/f", {.size = 1'000'000});
  Collector one;
  Collector two;
  world.network.start(request_for(world.origin.url("/f")), one);
  world.network.start(request_for(world.origin.url("/f")), two);
  REQUIRE(wait_for(world.network, world.clock, [&] { return one.body.size() > 300'000; }));
  CHECK(two.body.size() > 200'000);
  CHECK(one.body.size() < 1'000'000);
}

TEST_CASE("the same seed gives the same run, another seed another one") {
  const auto run = [](std::uint64_t seed) {
    VirtualClock clock;
    SimulatedNetwork network(clock, seed);
    SimOrigin origin(network, clock, "http://files.example");
    network.set_latency(milliseconds(1), milliseconds(50));
    origin.put("/f", {.size = 10});
    for (int i = 0; i < 5; ++i) {
      Collector sink;
      network.start(request_for(origin.url("/f")), sink);
      REQUIRE(wait_for_end(network, clock, sink));
    }
    return clock.now();
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

}  // namespace arkvory::sim
