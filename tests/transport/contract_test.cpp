// SPDX-License-Identifier: Apache-2.0
// What core/http/transport.h promises, for each implementation of it.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>

#include "tests/transport/collector.h"
#include "tests/transport/worlds.h"

TYPE_TO_STRING_AS("libcurl", arkvory::test::OverCurl);
TYPE_TO_STRING_AS("simulated", arkvory::test::OverSimulation);

namespace arkvory::test {

namespace {

Headers fields(std::initializer_list<std::pair<const char*, const char*>> list) {
  Headers headers;
  for (const auto& [name, value] : list) headers.add(name, value);
  return headers;
}

// Several pieces for any transport.
std::string long_body() {
  std::string text;
  while (text.size() < 1'000'000) text += std::to_string(text.size()) + ",";
  return text;
}

}  // namespace

TEST_CASE_TEMPLATE("a body comes whole and in order after its head", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, fields({{"ETag", "\"a\""}}), long_body()}}});
  Collector sink;
  world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.status() == 200);
  CHECK(sink.head->headers.first("etag") == "\"a\"");
  CHECK(sink.text() == long_body());
}

TEST_CASE_TEMPLATE("an empty body is complete", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", Script{}}});
  Collector sink;
  world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.status() == 200);
  CHECK(sink.body.empty());
}

TEST_CASE_TEMPLATE("header fields and the query are sent as given, an empty field too", World, OverCurl,
                   OverSimulation) {
  World world(Scripts{{"/a/../f%20g?sig=x&y", Script{}}});
  Collector sink;
  const auto sent = fields({{"Range", "bytes=5-9"}, {"Accept-Encoding", "identity"}, {"X-Empty", ""}});
  world.transport().start(request_for(world.url("/a/../f%20g?sig=x&y"), Method::get, sent), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  REQUIRE(world.asked().size() == 1);
  const auto asked = world.asked().front();
  CHECK(asked.method == "GET");
  CHECK(asked.headers.first("Range") == "bytes=5-9");
  CHECK(asked.headers.first("Accept-Encoding") == "identity");
  CHECK(asked.headers.first("X-Empty") == "");
  CHECK(!asked.headers.has("Expect"));
}

TEST_CASE_TEMPLATE("HEAD gives a head and no body", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, {}, "twelve bytes"}}});
  Collector sink;
  world.transport().start(request_for(world.url("/f"), Method::head), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(world.asked().front().method == "HEAD");
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.head->headers.first("Content-Length") == "12");
  CHECK(sink.body.empty());
}

TEST_CASE_TEMPLATE("DELETE is sent, and 204 is a whole answer", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {204}}});
  Collector sink;
  world.transport().start(request_for(world.url("/f"), Method::remove), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(world.asked().front().method == "DELETE");
  CHECK(sink.kind() == EndKind::complete);
  CHECK(sink.status() == 204);
}

TEST_CASE_TEMPLATE("redirects and refusals are heads like any other", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/moved", {302, fields({{"Location", "/f"}})}}, {"/gone", {410, {}, "gone"}}, {"/f", Script{}}});
  Collector moved;
  Collector gone;
  world.transport().start(request_for(world.url("/moved")), moved);
  world.transport().start(request_for(world.url("/gone")), gone);
  REQUIRE(wait_for_end(world.transport(), world.clock(), moved));
  REQUIRE(wait_for_end(world.transport(), world.clock(), gone));
  CHECK(moved.status() == 302);
  CHECK(moved.head->headers.first("Location") == "/f");
  CHECK(moved.kind() == EndKind::complete);
  CHECK(gone.status() == 410);
  CHECK(gone.text() == "gone");
  CHECK(world.asked().size() == 2);
}

TEST_CASE_TEMPLATE("an answer that ends before its stated end is cut, with what came handed over (C1)", World, OverCurl,
                   OverSimulation) {
  World world(Scripts{{"/f", {200, {}, long_body(), 300'000}}});
  Collector sink;
  world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::cut);
  CHECK(sink.text() == long_body().substr(0, 300'000));
}

TEST_CASE_TEMPLATE("a sink that stops in the head sees no body", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, {}, long_body()}}});
  Collector sink;
  sink.stops_in_head = true;
  world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::stopped);
  CHECK(sink.body.empty());
}

TEST_CASE_TEMPLATE("a sink that stops in the body sees no more of it", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, {}, long_body()}}});
  Collector sink;
  sink.stops_after = 1;
  world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::stopped);
  CHECK(sink.body.size() < long_body().size());
  CHECK(sink.text() == long_body().substr(0, sink.body.size()));
}

TEST_CASE_TEMPLATE("where nobody listens there is no connection", World, OverCurl, OverSimulation) {
  World world(Scripts{});
  Collector sink;
  world.transport().start(request_for(world.dead_url()), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::not_connected);
  CHECK(!sink.head);
}

TEST_CASE_TEMPLATE("a name without an address is told as such", World, OverCurl, OverSimulation) {
  World world(Scripts{});
  Collector sink;
  world.transport().start(request_for(world.unnamed_url()), sink);
  REQUIRE(wait_for_end(world.transport(), world.clock(), sink));
  CHECK(sink.kind() == EndKind::not_resolved);
}

TEST_CASE_TEMPLATE("a cancelled request is never heard of again", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, {}, long_body()}}, {"/g", {200, {}, long_body()}}});
  Collector at_once;
  Collector other;
  const auto id = world.transport().start(request_for(world.url("/f")), at_once);
  world.transport().cancel(id);
  world.transport().cancel(id);
  world.transport().cancel(id + 1000);
  world.transport().start(request_for(world.url("/g")), other);
  REQUIRE(wait_for_end(world.transport(), world.clock(), other));
  CHECK(other.kind() == EndKind::complete);
  CHECK(at_once.was_told_nothing());
}

TEST_CASE_TEMPLATE("cancelling in the middle of a body ends the call-backs", World, OverCurl, OverSimulation) {
  World world(Scripts{{"/f", {200, {}, long_body(), 500'000, true}}, {"/g", {200, {}, long_body()}}});
  Collector sink;
  Collector other;
  const auto id = world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for(world.transport(), world.clock(), [&] { return !sink.body.empty(); }));
  const auto held = sink.body.size();
  world.transport().cancel(id);
  world.transport().start(request_for(world.url("/g")), other);
  REQUIRE(wait_for_end(world.transport(), world.clock(), other));
  CHECK(sink.body.size() == held);
  CHECK(!sink.end);
}

TEST_CASE_TEMPLATE("requests run side by side, and each sink hears of its own only", World, OverCurl, OverSimulation) {
  World world(
      Scripts{{"/f", {200, {}, long_body()}}, {"/g", {200, {}, "g"}}, {"/silent", {200, {}, "silent", 0, true}}});
  Collector f;
  Collector g;
  Collector silent;
  const auto id = world.transport().start(request_for(world.url("/silent")), silent);
  world.transport().start(request_for(world.url("/f")), f);
  world.transport().start(request_for(world.url("/g")), g);
  REQUIRE(wait_for_end(world.transport(), world.clock(), f));
  REQUIRE(wait_for_end(world.transport(), world.clock(), g));
  CHECK(f.text() == long_body());
  CHECK(g.text() == "g");
  CHECK(silent.body.empty());
  CHECK(!silent.end);
  world.transport().cancel(id);
}

TEST_CASE_TEMPLATE("a wait ends at its deadline, and not before, where nothing happens", World, OverCurl,
                   OverSimulation) {
  World world(Scripts{{"/f", {200, {}, "silent", 0, true}}});
  Collector sink;
  const auto id = world.transport().start(request_for(world.url("/f")), sink);
  REQUIRE(wait_for(world.transport(), world.clock(), [&] { return sink.head.has_value(); }));
  const auto deadline = world.clock().now() + std::chrono::milliseconds(30);
  world.transport().wait_until(deadline);
  CHECK(world.clock().now() >= deadline);
  CHECK(!sink.end);
  world.transport().cancel(id);
}

TEST_CASE_TEMPLATE("a wait whose deadline has passed returns at once", World, OverCurl, OverSimulation) {
  World world(Scripts{});
  const auto before = world.clock().now();
  world.transport().wait_until(before);
  world.transport().wait_until(Instant());
  CHECK(world.clock().now() - before < std::chrono::seconds(5));
}

TEST_CASE_TEMPLATE("a wake before the wait ends it at once, and only that one", World, OverCurl, OverSimulation) {
  World world(Scripts{});
  const auto before = world.clock().now();
  world.transport().wake();
  world.transport().wait_until(before + std::chrono::hours(1));
  CHECK(world.clock().now() - before < std::chrono::seconds(5));
  const auto deadline = world.clock().now() + std::chrono::milliseconds(20);
  world.transport().wait_until(deadline);
  CHECK(world.clock().now() >= deadline);
}

TEST_CASE_TEMPLATE("another thread's wake ends a wait without a deadline", World, OverCurl, OverSimulation) {
  World world(Scripts{});
  std::thread other([&] { world.transport().wake(); });
  world.transport().wait_until(Instant::max());
  other.join();
  CHECK(world.asked().empty());
}

}  // namespace arkvory::test
