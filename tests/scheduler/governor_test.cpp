// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/governor.h"

#include <doctest/doctest.h>

#include <map>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

// Streams that could send more whenever they were allowed something, up to a rate of their own.
class Link {
 public:
  Link(std::uint64_t rate, std::uint64_t floor, BandwidthOrder order = BandwidthOrder::oldest_first)
      : governor(rate, floor, order, Instant()) {}

  void add(std::uint64_t order, std::optional<Governor::Group> group = std::nullopt) {
    const auto id = governor.open(order, now, group);
    ids[order] = id;
    governor.want(id, kMiB);
  }
  void run(Duration time) {
    const auto end = now + time;
    while (true) {
      const auto next = governor.next(now);
      if (!next || *next > end) break;
      now = *next;
      for (const auto& [stream, bytes] : governor.allot(now)) {
        sent[stream] += bytes;
        governor.want(stream, kMiB);
      }
    }
    now = end;
  }
  std::uint64_t sent_of(std::uint64_t order) { return sent[ids[order]]; }

  Governor governor;
  Instant now{};
  std::map<std::uint64_t, Governor::StreamId> ids;
  std::map<Governor::StreamId, std::uint64_t> sent;
};

}  // namespace

TEST_CASE("B1: all answers together get the rate, no more and no less") {
  Link link(10 * kMiB, 0);
  link.add(1);
  link.add(2);
  link.run(10s);
  const auto total = link.sent_of(1) + link.sent_of(2);
  CHECK(total <= 100 * kMiB + Governor::kQuantum);
  CHECK(total >= 100 * kMiB - kMiB);
}

TEST_CASE("B2: the oldest seat takes all that it can absorb, but for the floor of the others") {
  Link link(10 * kMiB, 64 * kKiB);
  link.add(7);
  link.add(3);
  link.add(5);
  link.run(10s);
  CHECK(link.sent_of(5) >= 9 * 64 * kKiB);
  CHECK(link.sent_of(5) <= 11 * 64 * kKiB);
  CHECK(link.sent_of(7) >= 9 * 64 * kKiB);
  CHECK(link.sent_of(3) >= 97 * kMiB);
}

TEST_CASE("B2: what the oldest can't take goes to the next") {
  Link link(10 * kMiB, 0);
  link.add(1);
  link.add(2);
  link.governor.want(link.ids[1], 0);
  link.run(1s);
  CHECK(link.sent_of(1) == 0);
  CHECK(link.sent_of(2) >= 9 * kMiB);
}

TEST_CASE("B2: floors that exceed the rate together are equal shares of it") {
  Link link(100 * kKiB, 64 * kKiB);
  for (std::uint64_t i = 1; i <= 10; ++i) link.add(i);
  link.run(100s);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    CHECK(link.sent_of(i) >= 850 * kKiB);
    CHECK(link.sent_of(i) <= 1150 * kKiB);
  }
}

TEST_CASE("B2: under `equal` all get the same, and what one can't take is shared by the others") {
  Link link(10 * kMiB, 0, BandwidthOrder::equal);
  for (std::uint64_t i = 1; i <= 4; ++i) link.add(i);
  link.run(10s);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    CHECK(link.sent_of(i) >= 24 * kMiB);
    CHECK(link.sent_of(i) <= 26 * kMiB);
  }
  const auto before = link.sent_of(2);
  link.governor.want(link.ids[1], 0);
  link.run(10s);
  CHECK(link.sent_of(2) - before >= 32 * kMiB);
  CHECK(link.sent_of(2) - before <= 35 * kMiB);
}

TEST_CASE("B1: what was sent unasked delays what comes after it") {
  Link link(kMiB, 0);
  link.governor.charge(kMiB / 20);
  link.add(1);
  link.run(45ms);
  CHECK(link.sent_of(1) == 0);
  link.run(1s);
  CHECK(link.sent_of(1) > 0);
}

TEST_CASE("B2: however many short answers go out, a download waits for them a moment only") {
  Link link(kMiB, 64 * kKiB);
  link.governor.charge(UINT64_MAX / 4);
  link.add(1);
  link.run(200ms);
  CHECK(link.sent_of(1) > 0);
}

TEST_CASE("B1: an idle link gathers no more than a moment's bytes") {
  Link link(10 * kMiB, 0);
  link.run(1h);
  link.add(1);
  link.run(1s);
  CHECK(link.sent_of(1) <= 11 * kMiB);
}

TEST_CASE("B1: a refund can be sent again, by whoever is next") {
  Link link(kMiB, 0);
  const auto first = link.governor.open(1, link.now);
  link.governor.want(first, kMiB);
  const auto given = link.governor.allot(Instant(1s));
  REQUIRE(given.size() == 1);
  link.governor.refund(first, given.front().bytes);
  link.governor.close(first);
  const auto second = link.governor.open(2, Instant(1s));
  link.governor.want(second, kMiB);
  const auto again = link.governor.allot(Instant(1s));
  REQUIRE(again.size() == 1);
  CHECK(again.front().bytes == given.front().bytes);
}

TEST_CASE("B1: the slowest and the fastest rates there may be are kept") {
  Link slow(1, 64 * kKiB);
  slow.add(1);
  slow.run(10h);
  CHECK(slow.sent_of(1) == Governor::kQuantum * 3);  // at the start, after 4.55 h and after 9.1 h
  Link fast(UINT64_MAX / 2, UINT64_MAX / 2);
  fast.add(1);
  fast.governor.allot(Instant(100 * 24h));
  CHECK(fast.governor.next(Instant(100 * 24h)) == std::nullopt);
}

TEST_CASE("nobody is waited for while nobody wants anything") {
  Link link(kMiB, 0);
  CHECK_FALSE(link.governor.next(Instant()));
  link.add(1);
  CHECK(link.governor.next(Instant()));
  link.governor.close(link.ids[1]);
  CHECK_FALSE(link.governor.next(Instant()));
}

TEST_CASE("B2: another order and floor hold from the change on, and nobody pays for what came before") {
  Link link(10 * kMiB, 0);
  link.add(1);
  link.add(2);
  link.run(10s);
  CHECK(link.sent_of(2) == 0);
  link.governor.change(0, BandwidthOrder::equal, link.now);
  const auto before = link.sent_of(1);
  link.run(10s);
  CHECK(link.sent_of(2) >= 49 * kMiB);
  CHECK(link.sent_of(1) - before >= 49 * kMiB);
  link.governor.change(kMiB, BandwidthOrder::oldest_first, link.now);
  const auto of_second = link.sent_of(2);
  link.run(10s);
  CHECK(link.sent_of(2) - of_second >= 9 * kMiB);
  CHECK(link.sent_of(2) - of_second <= 12 * kMiB);
}

TEST_CASE("W1: those of a group get no more than its limit together, and the others what is left") {
  for (const auto order : {BandwidthOrder::oldest_first, BandwidthOrder::equal}) {
    Link link(10 * kMiB, 64 * kKiB, order);
    link.governor.limit(2, 2 * kMiB, link.now);
    link.add(1, 2);
    link.add(2, 2);
    link.add(3);
    link.run(10s);
    const auto of_group = link.sent_of(1) + link.sent_of(2);
    CHECK(of_group >= 19 * kMiB);
    CHECK(of_group <= 21 * kMiB);
    CHECK(link.sent_of(3) >= 78 * kMiB);
    // Where it is lifted the oldest has its turn again, or each its part.
    link.governor.limit(2, std::nullopt, link.now);
    const auto before = link.sent_of(1);
    link.run(10s);
    CHECK(link.sent_of(1) - before >= (order == BandwidthOrder::equal ? 30 : 90) * kMiB);
  }
}

TEST_CASE("W1: a group that is alone is sent at its limit, however small, and nobody asks in vain") {
  Link link(10 * kMiB, 0);
  link.governor.limit(0, 100 * kKiB, link.now);
  link.add(1, 0);
  link.run(10s);
  CHECK(link.sent_of(1) >= 980 * kKiB);
  CHECK(link.sent_of(1) <= 1040 * kKiB);
  link.governor.close(link.ids[1]);
  CHECK_FALSE(link.governor.next(link.now));
}
