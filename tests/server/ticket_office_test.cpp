// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ticket_office.h"

#include <doctest/doctest.h>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kWall{1'800'000'000s};
constexpr Instant kNow{5000s};

TicketOffice with_key() {
  TicketOffice office;
  office.use(TicketKey::fresh());
  return office;
}

}  // namespace

TEST_CASE("no two arrivals have the same stamp, so that their order outlives the process") {
  TicketOffice office;
  const auto first = office.stamp(kWall);
  CHECK(first == 1'800'000'000'000);
  CHECK(office.stamp(kWall) == first + 1);
  CHECK(office.stamp(kWall + 1ms) == first + 2);
  CHECK(office.stamp(kWall + 1s) == first + 1000);
  CHECK(office.stamp(kWall) == first);                   // a second ahead is the most: now two may be alike
  CHECK(office.stamp(kWall - 1h) == first - 3'600'000);  // the clock was set back
}

TEST_CASE("L3: a ticket's arrival comes back on the scheduler's clock, whatever that shows by now") {
  auto office = with_key();
  const SessionKey key;
  const auto stamp = office.stamp(kWall);
  const auto issued = office.issue(key, stamp, kWall + 10s);
  REQUIRE(issued);
  const auto claim = office.take(issued->ticket, key, kNow, kWall + 60s);
  REQUIRE(claim);
  CHECK(claim->arrival == kNow - 60s);
  CHECK(claim->stamp == stamp);
  CHECK(claim->issued == issued->stamp);
  CHECK_FALSE(office.take(issued->ticket, key, kNow, kWall + 10s + 15min + 1ms));
}

TEST_CASE("tickets that are ignored are counted by reason, good ones are not") {
  auto office = with_key();
  const SessionKey key;
  const auto stamp = office.stamp(kWall);
  const auto issued = office.issue(key, stamp, kWall);
  REQUIRE(issued);
  CHECK(office.take(issued->ticket, key, kNow, kWall));
  const auto refused = [](const TicketOffice& asked) {
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < kTicketRefusalNames.size(); ++i)
      counts.push_back(asked.refused(static_cast<TicketRefusal>(i)));
    return counts;
  };
  CHECK(refused(office) == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0});
  office.refuse_malformed();
  office.take(*Ticket::parse("1.a.b.c"), key, kNow, kWall);
  office.take(issued->ticket, session_key_for_address("anna", "path:a", "b"), kNow, kWall);
  office.take(issued->ticket, key, kNow, kWall + 16min);
  office.take(issued->ticket, key, kNow, kWall - 3min);
  office.take(issued->ticket, key, kNow, kWall + 24h * 31);
  CHECK(refused(office) == std::vector<std::uint64_t>{2, 1, 1, 1, 1, 0});
  TicketOffice without;
  without.take(issued->ticket, key, kNow, kWall);
  CHECK(refused(without) == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 1});
}

TEST_CASE("without a key nothing is issued and nothing is taken") {
  auto office = with_key();
  const auto issued = office.issue({}, 1'800'000'000'000, kWall);
  TicketOffice without;
  CHECK_FALSE(without.issue({}, 1'800'000'000'000, kWall));
  CHECK_FALSE(without.take(issued->ticket, {}, kNow, kWall));
}

TEST_CASE("T1: the store is told of tickets seldom, and only of new ones") {
  auto office = with_key();
  CHECK_FALSE(office.is_note_due(kNow));
  CHECK(office.issue({}, 1'800'000'000'000, kWall));
  CHECK(office.is_note_due(kNow));
  CHECK_FALSE(office.is_note_due(kNow + 1min));
  CHECK(office.issue({}, 1'800'000'000'000, kWall));
  CHECK(office.is_note_due(kNow + 1min));
  CHECK(office.issue({}, 1'800'000'000'000, kWall));
  CHECK_FALSE(office.is_note_due(kNow + 1min + 9s));
  CHECK(office.is_note_due(kNow + 1min + 10s));
  office.note_failed();
  CHECK(office.is_note_due(kNow + 2min));
}
