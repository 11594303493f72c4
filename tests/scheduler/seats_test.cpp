// SPDX-License-Identifier: Apache-2.0
// Seats: who holds one, how it comes back (S4, S7–S10, S12).
#include <doctest/doctest.h>

#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

SchedulerSettings with_seats(std::uint64_t seats) {
  SchedulerSettings settings;
  settings.sessions = seats;
  settings.bandwidth = 1 * kMiB;
  return settings;
}

Wish part(std::uint64_t begin, std::uint64_t end, std::uint64_t size = 100 * kMiB) {
  Wish wish;
  wish.size = size;
  wish.wanted = ByteRange(begin, end);
  return wish;
}

}  // namespace

TEST_CASE("S12: a newcomer takes a free seat at once where nobody waits") {
  Stand stand(with_seats(2));
  CHECK(stand.ask("a"));
  CHECK(stand.ask("b"));
  CHECK_FALSE(stand.ask("c"));
  CHECK(stand.scheduler.active() == 2);
  CHECK(stand.scheduler.waiting() == 1);
}

TEST_CASE("who waits while all seats are taken has to wait; nobody else has") {
  Stand stand(with_seats(1));
  stand.ask("a");
  CHECK_FALSE(stand.scheduler.has_to_wait(key_of("a")));
  CHECK_FALSE(stand.scheduler.has_to_wait(key_of("b")));
  stand.ask("b");
  CHECK(stand.scheduler.has_to_wait(key_of("b")));
  stand.cancel("a");
  CHECK_FALSE(stand.scheduler.has_to_wait(key_of("b")));
}

TEST_CASE("S7: with the last byte the seat is free at once, and a held client has it in the same instant") {
  Stand stand(with_seats(1));
  stand.ask("a");
  stand.hold("b");
  CHECK_FALSE(stand.is_seated("b"));
  stand.end("a");
  CHECK(stand.is_seated("b"));
  CHECK(stand.scheduler.live() == 1);
}

TEST_CASE("S4: an active session keeps its seat from range to range without queueing again") {
  Stand stand(with_seats(1));
  stand.ask("a", part(0, 8 * kMiB));
  stand.ask("b");
  stand.end("a");
  CHECK(stand.ask("a", part(8 * kMiB, 16 * kMiB)));
  CHECK(stand.scheduler.waiting() == 1);
}

TEST_CASE("S4: a fifth answer of one session is not let in while four run, and is after one has ended") {
  Stand stand(with_seats(1));
  Arrival arrival;
  arrival.key = key_of("a");
  arrival.size = 100 * kMiB;
  std::vector<Seat> seats;
  std::vector<Change> changes;
  for (std::uint64_t i = 0; i < 5; ++i) {
    arrival.wanted = ByteRange(i * kMiB, (i + 1) * kMiB);
    const auto id = std::get<SessionId>(stand.scheduler.arrive(arrival, stand.now));
    stand.scheduler.settle(stand.now, changes);
    auto seat = stand.scheduler.take(id, arrival.wanted);
    CHECK(seat.has_value() == (i < 4));
    if (seat) seats.push_back(std::move(*seat));
    if (!seat) stand.scheduler.dismiss(id, stand.now);
  }
  seats.pop_back();
  const auto id = std::get<SessionId>(stand.scheduler.arrive(arrival, stand.now));
  CHECK(stand.scheduler.take(id, arrival.wanted).has_value());
}

TEST_CASE("S8: an idle seat is free at the first tick at which 30 s are reached") {
  Stand stand(with_seats(1));
  stand.ask("a", part(0, 8 * kMiB));
  stand.hold("b");
  stand.end("a");
  stand.run(29'900ms);
  CHECK_FALSE(stand.is_seated("b"));
  stand.run(100ms);
  CHECK(stand.is_seated("b"));
}

TEST_CASE("S8: a seat is not idle while an answer runs, however long") {
  Stand stand(with_seats(1));
  stand.ask("a", part(0, 8 * kMiB));
  stand.hold("b");
  stand.run(10min);
  CHECK_FALSE(stand.is_seated("b"));
}

TEST_CASE("S8: who idled queues by the old arrival, and does not jump ahead of who came before it") {
  Stand stand(with_seats(1));
  stand.ask("early", part(0, 8 * kMiB));
  stand.run(1s);
  stand.ask("b");
  stand.run(1s);
  stand.ask("c");
  stand.cut("early");
  stand.run(30s);
  CHECK(stand.ask("b"));
  CHECK_FALSE(stand.ask("early", part(8 * kMiB, 16 * kMiB)));
  stand.ask("c");
  // A principal's sessions go by arrival (O7): it is before c, though c was in line all the time.
  CHECK(stand.scheduler.position(stand.ids["early"]) == 1);
  CHECK(stand.scheduler.position(stand.ids["c"]) == 2);
}

TEST_CASE("S8: arrival and coverage are kept for ten minutes") {
  for (const bool in_time : {true, false}) {
    Stand stand(with_seats(1));
    stand.ask("a", part(0, 8 * kMiB));
    stand.end("a");
    stand.run(30s);
    CHECK(stand.scheduler.live() == 1);
    stand.run(in_time ? 10min - 500ms : 10min);
    CHECK(stand.scheduler.live() == (in_time ? 1 : 0));
  }
}

TEST_CASE("S8: a second idling without 8 MiB in between loses the arrival; with them it does not") {
  for (const bool worked : {false, true}) {
    Stand stand(with_seats(1));
    stand.ask("a", part(0, kMiB));
    stand.cut("a");
    stand.run(30s);
    CHECK(stand.ask("a", part(0, 20 * kMiB)));
    stand.cut("a", worked ? 8 * kMiB : 8 * kMiB - 1);
    stand.run(30s);
    CHECK(stand.ask("x"));
    stand.ask("b");
    stand.run(1s);
    stand.ask("a", part(0, 20 * kMiB));
    CHECK(stand.scheduler.position(stand.ids["a"]) == (worked ? 1 : 2));
  }
}

TEST_CASE("S9: a session that has read only the tail keeps an unused seat for 5 s") {
  Stand stand(with_seats(1));
  auto tail = part(99 * kMiB, 100 * kMiB);
  tail.is_tail_read = true;
  stand.ask("a", tail);
  stand.hold("b");
  stand.end("a");
  stand.run(4'900ms);
  CHECK_FALSE(stand.is_seated("b"));
  stand.run(100ms);
  CHECK(stand.is_seated("b"));
}

TEST_CASE("S10: cancel frees the seat at once, whatever still runs, and only once") {
  Stand stand(with_seats(1));
  stand.ask("a");
  stand.hold("b");
  CHECK(stand.cancel("a"));
  CHECK(stand.is_seated("b"));
  CHECK_FALSE(stand.cancel("a"));
  stand.seats.erase("a");
  std::vector<Change> changes;
  stand.scheduler.settle(stand.now, changes);
  CHECK(stand.scheduler.active() == 1);
  stand.scheduler.check_invariants();
}

TEST_CASE("S10: end, cancel and a break in one instant release the seat once, in any order") {
  for (int order = 0; order < 6; ++order) {
    CAPTURE(order);
    Stand stand(with_seats(1));
    stand.ask("a", part(0, kMiB));
    stand.hold("b");
    stand.hold("c");
    const auto end = [&] { stand.end("a"); };
    const auto cancel = [&] { stand.cancel("a"); };
    const auto tick = [&] { stand.run(500ms); };
    const std::array<std::array<int, 3>, 6> orders{{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    for (const int what : orders[static_cast<std::size_t>(order)]) {
      if (what == 0) end();
      if (what == 1) cancel();
      if (what == 2) tick();
    }
    CHECK(stand.is_seated("b"));
    CHECK_FALSE(stand.is_seated("c"));
    CHECK(stand.scheduler.active() == 1);
    CHECK(stand.scheduler.waiting() == 1);
  }
}

TEST_CASE("S10: a held client that leaves has no place in line any more") {
  Stand stand(with_seats(1));
  stand.ask("a");
  const auto b = stand.hold("b");
  const auto c = stand.hold("c");
  CHECK(stand.scheduler.position(c) == 2);
  stand.scheduler.vanish(b, stand.now);
  CHECK(stand.scheduler.position(c) == 1);
  CHECK_FALSE(stand.scheduler.is_live(b));
  stand.scheduler.check_invariants();
}

TEST_CASE("S10: all that came and went leaves every sum at zero") {
  Stand stand(with_seats(2));
  for (const char* name : {"a", "b", "c", "d", "e"}) stand.ask(name);
  stand.end("a");
  stand.cut("b");
  stand.scheduler.cancel(key_of("c"), stand.now);
  stand.run(20min);
  CHECK(stand.scheduler.active() == 0);
  CHECK(stand.scheduler.waiting() == 0);
  CHECK(stand.scheduler.live() == 0);
}

TEST_CASE("S12: no seat is held for an absent client: the first marked one to come takes it") {
  Stand stand(with_seats(1));
  stand.ask("a");
  for (const char* name : {"b", "c", "d"}) stand.ask(name);
  stand.end("a");
  // Nobody is marked yet: only the first in line may take it.
  CHECK_FALSE(stand.ask("c"));
  stand.run(500ms);
  // Two are marked for one free seat.
  CHECK_FALSE(stand.ask("d"));
  CHECK(stand.ask("c"));
  CHECK_FALSE(stand.ask("b"));
}

TEST_CASE("S12: while a seat stays free the number marked doubles each tick") {
  Stand stand(with_seats(1));
  stand.ask("a");
  for (int i = 0; i < 20; ++i) stand.ask("w" + std::to_string(i));
  stand.end("a");
  stand.run(500ms);  // two marked
  CHECK_FALSE(stand.ask("w2"));
  stand.run(500ms);  // four
  CHECK_FALSE(stand.ask("w4"));
  stand.run(500ms);  // eight
  CHECK(stand.ask("w7"));
}

TEST_CASE("S12: seats that will be free within 5 s count, by the bytes of older seats and their own") {
  Stand stand(with_seats(1));  // 1 MiB/s
  stand.ask("a", part(0, 100 * kMiB));
  for (const char* name : {"b", "c", "d"}) stand.ask(name);
  stand.seats.at("a").sent(94 * kMiB);
  stand.run(500ms);  // 6 s are left: nobody is marked
  stand.cut("a", 6 * kMiB);
  CHECK_FALSE(stand.is_seated("c"));

  Stand soon(with_seats(1));
  soon.ask("a", part(0, 100 * kMiB));
  for (const char* name : {"b", "c", "d"}) soon.ask(name);
  soon.seats.at("a").sent(95 * kMiB);
  soon.run(500ms);
  soon.seats.at("a").sent(5 * kMiB);
  std::move(soon.seats.at("a")).complete();
  CHECK(soon.ask("c"));
}

TEST_CASE(
    "S13: an answer that waits for its client is counted by the ticks that see it, and slow minutes cost the seat") {
  Stand stand(with_seats(1));
  stand.ask("slow", part(0, 20 * kMiB));
  stand.hold("b");
  stand.seats.at("slow").offer(true);
  for (int second = 0; second < 121; ++second) {
    stand.send("slow", 10 * kKiB);
    stand.run(1s);
  }
  CHECK(stand.scheduler.is_wanted(stand.ids.at("slow")));
  // No further answer beside the one that runs; with its end the seat goes.
  const auto id = std::get<SessionId>(stand.scheduler.arrive(
      {.key = key_of("slow"), .principal = "anna", .size = 100 * kMiB, .wanted = ByteRange(20 * kMiB, 21 * kMiB)},
      stand.now));
  CHECK_FALSE(stand.scheduler.take(id, ByteRange(20 * kMiB, 21 * kMiB)));
  stand.scheduler.dismiss(id, stand.now);
  CHECK_FALSE(stand.is_seated("b"));
  stand.end("slow");
  CHECK(stand.is_seated("b"));
  CHECK(stand.scheduler.state(id) == SessionState::parked);
}

TEST_CASE("S13: what the governor held back does not count") {
  Stand stand(with_seats(1));
  stand.ask("a", part(0, 20 * kMiB));
  stand.hold("b");
  for (int second = 0; second < 200; ++second) {
    stand.send("a", 10 * kKiB);
    stand.run(1s);
  }
  CHECK_FALSE(stand.scheduler.is_wanted(stand.ids.at("a")));
}
