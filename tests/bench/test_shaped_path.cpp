// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/bench/shaped_path.h"

namespace arkvory::bench {

namespace {

using std::chrono::milliseconds;

constexpr Instant kBegin{std::chrono::hours(1)};
// 1,000 bytes take a millisecond.
constexpr LinkNature kNature{milliseconds(50), 1'000'000, 5'000, 0};

Packet packet_of(std::size_t size, int first = 0) {
  Packet packet(size);
  packet.front() = static_cast<std::byte>(first);
  return packet;
}

TEST_CASE("a packet arrives after its time on the wire and the delay, and no sooner") {
  ShapedPath path(kNature, 1);
  path.offer(packet_of(1000), kBegin);
  REQUIRE(path.next_arrival() == kBegin + milliseconds(51));
  CHECK_FALSE(path.take(kBegin + milliseconds(51) - Duration(1)));
  CHECK(path.take(kBegin + milliseconds(51)));
  CHECK_FALSE(path.next_arrival());
}

TEST_CASE("packets share the rate and keep their order") {
  ShapedPath path(kNature, 1);
  for (int i = 0; i < 3; ++i) path.offer(packet_of(1000, i), kBegin);
  for (int i = 0; i < 3; ++i) {
    CHECK(path.next_arrival() == kBegin + milliseconds(51 + i));
    const auto packet = path.take(kBegin + milliseconds(51 + i));
    REQUIRE(packet);
    CHECK(packet->front() == static_cast<std::byte>(i));
  }
}

TEST_CASE("an idle wire saves nothing up") {
  ShapedPath path(kNature, 1);
  path.offer(packet_of(1000), kBegin);
  path.offer(packet_of(1000), kBegin + milliseconds(500));
  CHECK(path.take(kBegin + milliseconds(51)));
  CHECK(path.next_arrival() == kBegin + milliseconds(551));
}

TEST_CASE("what does not fit into the queue is dropped, and room comes back with time") {
  ShapedPath path(kNature, 1);
  for (int i = 0; i < 7; ++i) path.offer(packet_of(1000), kBegin);
  CHECK(path.dropped() == 2);
  path.offer(packet_of(1000), kBegin + milliseconds(1));
  path.offer(packet_of(1000), kBegin + milliseconds(1));
  CHECK(path.dropped() == 3);
  CHECK(path.offered() == 9);
}

TEST_CASE("as many packets are lost as were asked for, and the same ones for the same seed") {
  auto nature = kNature;
  nature.lost_of_ten_thousand = 50;
  nature.bytes_per_second = 1'000'000'000;
  const auto lost_with = [&](std::uint64_t seed) {
    ShapedPath path(nature, seed);
    std::vector<bool> arrived;
    for (int i = 0; i < 20'000; ++i) {
      const auto now = kBegin + milliseconds(i);
      path.offer(packet_of(100), now);
      arrived.push_back(path.take(now + milliseconds(51)).has_value());
    }
    CHECK(path.lost() > 60);
    CHECK(path.lost() < 150);
    return arrived;
  };
  CHECK(lost_with(1) == lost_with(1));
  CHECK(lost_with(1) != lost_with(2));
}

}  // namespace

}  // namespace arkvory::bench
