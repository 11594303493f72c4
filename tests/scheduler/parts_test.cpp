// SPDX-License-Identifier: Apache-2.0
// The scheduler's small parts: the timing wheel, the keyed hash, ticket floors, the rate window, the question limit.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/base/rng.h"
#include "server-stub/scheduler/question_limit.h"
#include "server-stub/scheduler/rate_window.h"
#include "server-stub/scheduler/sip_hash.h"
#include "server-stub/scheduler/ticket_floors.h"
#include "server-stub/scheduler/timing_wheel.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

TEST_CASE("the wheel gives an entry out at the first tick at which its time is reached") {
  TimingWheel wheel(500ms, Instant());
  std::vector<TimingWheel::Entry> due;
  wheel.file(1, Instant(1000ms));
  wheel.file(2, Instant(1001ms));
  wheel.due(Instant(999ms), due);
  CHECK(due.empty());
  wheel.due(Instant(1000ms), due);
  CHECK(due == std::vector<TimingWheel::Entry>{1});
  wheel.due(Instant(1400ms), due);
  CHECK(due.size() == 1);
  wheel.due(Instant(1500ms), due);
  CHECK(due == std::vector<TimingWheel::Entry>{1, 2});
  CHECK(wheel.size() == 0);
}

TEST_CASE("the wheel gives out early what lies beyond its horizon, so that it is filed again") {
  TimingWheel wheel(500ms, Instant());
  std::vector<TimingWheel::Entry> due;
  wheel.file(1, Instant::max());
  wheel.due(Instant(500ms * 1023), due);
  CHECK(due == std::vector<TimingWheel::Entry>{1});
}

TEST_CASE("a wheel that was not turned for long, as over a suspend, still gives everything out") {
  TimingWheel wheel(500ms, Instant());
  std::vector<TimingWheel::Entry> due;
  for (TimingWheel::Entry i = 0; i < 100; ++i) wheel.file(i, Instant(i * 1s));
  wheel.due(Instant(24h), due);
  CHECK(due.size() == 100);
  wheel.file(5, Instant(24h));
  wheel.due(Instant(24h + 500ms), due);
  CHECK(due.back() == 5);
}

TEST_CASE("the wheel and a plain list agree over random filing, moving and removing") {
  Rng rng(3);
  TimingWheel wheel(500ms, Instant(10s));
  std::map<TimingWheel::Entry, Instant> plain;
  Instant now(10s);
  for (int step = 0; step < 3000; ++step) {
    const auto entry = static_cast<TimingWheel::Entry>(rng.below(60));
    if (rng.chance(70)) {
      plain[entry] = now + rng.up_to(100s);
      wheel.file(entry, plain[entry]);
    } else {
      plain.erase(entry);
      wheel.remove(entry);
    }
    REQUIRE(wheel.size() == plain.size());
    if (rng.chance(60)) continue;
    now += 500ms;
    std::vector<TimingWheel::Entry> due;
    wheel.due(now, due);
    for (const auto out : due) REQUIRE(plain.at(out) <= now);
    for (const auto out : due) plain.erase(out);
    for (const auto& [left, at] : plain) REQUIRE(at > now);
  }
}

TEST_CASE("the keyed hash is SipHash-2-4: the test vector of its paper") {
  std::array<std::byte, 15> message{};
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::byte>(i);
  CHECK(sip_hash({0x0706050403020100U, 0x0F0E0D0C0B0A0908U}, message) == 0xA129CA6149BE45E5U);
}

TEST_CASE("T2: a floor refuses the tickets up to its time, and is kept for a ticket's life") {
  TicketFloors floors(10, {});
  SessionKey key;
  CHECK(floors.may_restore(key, 100));
  floors.raise(key, 100, Instant(0s));
  CHECK_FALSE(floors.may_restore(key, 100));
  CHECK(floors.may_restore(key, 101));
  floors.raise(key, 50, Instant(60s));
  CHECK_FALSE(floors.may_restore(key, 100));
  floors.forget_expired(Instant(15min));
  CHECK_FALSE(floors.may_restore(key, 100));
  floors.forget_expired(Instant(16min));
  CHECK(floors.may_restore(key, 100));
  CHECK(floors.size() == 0);
}

TEST_CASE("L1: floors are bounded; the oldest goes first") {
  TicketFloors floors(2, {});
  std::array<SessionKey, 3> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].bytes[0] = static_cast<std::byte>(i);
    floors.raise(keys[i], 100, Instant());
  }
  CHECK(floors.may_restore(keys[0], 1));
  CHECK_FALSE(floors.may_restore(keys[1], 1));
  CHECK_FALSE(floors.may_restore(keys[2], 1));
}

TEST_CASE("L1, T2: one whose floor is raised again and again drives out nobody else's") {
  TicketFloors floors(3, {});
  std::array<SessionKey, 3> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].bytes[0] = static_cast<std::byte>(i);
    floors.raise(keys[i], 100, Instant());
  }
  for (int i = 0; i < 100; ++i) floors.raise(keys[0], 100 + i, Instant(Duration(i)));
  SessionKey more;
  more.bytes[0] = static_cast<std::byte>(9);
  floors.raise(more, 100, Instant(1s));
  CHECK_FALSE(floors.may_restore(keys[0], 1));
  CHECK(floors.may_restore(keys[1], 1));
  CHECK_FALSE(floors.may_restore(keys[2], 1));
  floors.forget_expired(Instant(15min + 1s));
  CHECK(floors.size() == 0);
}

TEST_CASE("E2: a second in which next to nothing was sent gives no rate, so that nothing is divided by it") {
  RateWindow window;
  window.delivered(1);
  window.end_second(1001ms, true);
  CHECK_FALSE(window.rate());
}

TEST_CASE("E2: the rate is the 90th percentile of the saturated seconds of the last minute") {
  RateWindow window;
  CHECK_FALSE(window.rate());
  window.delivered(5000);
  window.end_second(1s, false);
  CHECK_FALSE(window.rate());
  for (std::uint64_t i = 1; i <= 11; ++i) {
    window.delivered(i * 100);
    window.end_second(1s, true);
  }
  CHECK(window.rate() == 1000);
  window.delivered(1000);
  window.end_second(2s, true);
  CHECK(window.rate() == 1000);
  for (int i = 0; i < 60; ++i) window.end_second(1s, true);
  CHECK_FALSE(window.rate());
}

TEST_CASE("rate_limited: twenty questions at once, then one a second") {
  QuestionLimit limit;
  const Instant start(100s);
  for (int i = 0; i < 20; ++i) CHECK(limit.ask(start));
  CHECK_FALSE(limit.ask(start));
  CHECK(limit.until_next(start) == 1s);
  CHECK_FALSE(limit.ask(start + 999ms));
  CHECK(limit.ask(start + 1s));
  CHECK_FALSE(limit.ask(start + 1s));
  CHECK(limit.ask(start + 10s));
}
