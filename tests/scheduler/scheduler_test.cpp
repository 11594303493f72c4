// SPDX-License-Identifier: Apache-2.0
// Waiting: what is told, who is forgotten, what tickets restore, limits (S11, E1–E3, T1, T2, L1).
#include <doctest/doctest.h>

#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

SchedulerSettings one_seat() {
  SchedulerSettings settings;
  settings.sessions = 1;
  settings.bandwidth = 1 * kMiB;
  return settings;
}

}  // namespace

TEST_CASE("E3: a newcomer's first answer is 2 s and no position; the next has both") {
  Stand stand(one_seat());
  stand.ask("a");
  stand.ask("b");
  CHECK(stand.notice("b").check_in == 2s);
  CHECK_FALSE(stand.notice("b").position);
  CHECK_FALSE(stand.notice("b").start);
  stand.ask("b");
  CHECK(stand.notice("b").position == 1);
  CHECK(stand.notice("b").start->point == 100s);
  CHECK(stand.notice("b").check_in == 50s);
}

TEST_CASE("E1: the start follows from the bytes ahead, and comes nearer as they are sent") {
  Stand stand(one_seat());
  stand.ask("a");
  stand.ask("b");
  stand.ask("c");
  stand.ask("c");
  CHECK(stand.notice("c").position == 2);
  CHECK(stand.notice("c").start->point == 200s);
  stand.seats.at("a").sent(40 * kMiB);
  stand.ask("c");
  CHECK(stand.notice("c").start->point == 160s);
}

TEST_CASE("E1: with several seats the point leaves out those served last, the interval holds every order of ends") {
  auto settings = one_seat();
  settings.sessions = 3;
  Stand stand(settings);
  Wish large;
  large.size = 300 * kMiB;
  stand.ask("a", large);
  stand.ask("b");
  stand.ask("c");
  stand.ask("d");
  stand.ask("e");
  stand.ask("e");
  const auto start = *stand.notice("e").start;
  // Ahead: 300, 100, 100 (seats), 100 (d). It starts when two of them are unfinished.
  CHECK(start.point == 400s);
  CHECK(start.from == 200s);
  CHECK(start.to == 600s);
}

TEST_CASE("E1: without a rate there is no estimate, and the check is short") {
  auto settings = one_seat();
  settings.bandwidth.reset();
  Stand stand(settings);
  stand.ask("a");
  stand.ask("b");
  stand.ask("b");
  CHECK_FALSE(stand.notice("b").start);
  CHECK(stand.notice("b").position == 1);
  CHECK(stand.notice("b").check_in == 1s);
}

TEST_CASE("E2: the rate of a saturated second is enough for an estimate") {
  auto settings = one_seat();
  settings.bandwidth.reset();
  Stand stand(settings);
  stand.ask("a");
  stand.ask("b");
  for (int i = 0; i < 4; ++i) {
    stand.seats.at("a").sent(5 * kMiB);
    stand.run(500ms);
  }
  CHECK(stand.scheduler.rate() == 10 * kMiB);
  stand.ask("b");
  CHECK(stand.notice("b").start->point == 8s);
}

TEST_CASE("E3: clients without an id are never told more than 30 s") {
  Stand stand(one_seat());
  Wish wish;
  wish.size = 4 * kGiB;
  stand.ask("a", wish);
  wish.has_download_id = false;
  stand.ask("b", wish);
  stand.ask("b", wish);
  CHECK(stand.notice("b").check_in <= 30s);
  wish.has_download_id = true;
  stand.ask("c", wish);
  stand.ask("c", wish);
  CHECK(stand.notice("c").check_in == 5min);
}

TEST_CASE("S11: who has not come by its time, a margin and a fifth is dropped; until then it is not") {
  Stand stand(one_seat());
  stand.ask("a");
  stand.ask("b");
  stand.run(2s + 30s + 400ms - 400ms);  // told 2 s: due at 32.4 s, so at the tick of 32.5 s
  CHECK(stand.scheduler.waiting() == 1);
  stand.run(500ms);
  CHECK(stand.scheduler.waiting() == 0);
}

TEST_CASE("O7: a ticket restores an arrival, and with it the place") {
  Stand stand(one_seat());
  stand.run(100s);
  stand.ask("x");
  stand.ask("late");
  Wish early;
  early.ticket = TicketClaim{Instant(50s), 77, 2000};
  stand.ask("early", early);
  CHECK(stand.scheduler.position(stand.ids["early"]) == 1);
  CHECK(stand.scheduler.stamp(stand.ids["early"]) == 77);
  CHECK(stand.scheduler.position(stand.ids["late"]) == 2);
}

TEST_CASE("T2: the ticket of a finished download restores nothing; one given out later does") {
  Stand stand(one_seat());
  stand.ask("a");
  stand.scheduler.issued(stand.ids["a"], 5000);
  stand.end("a");
  stand.ask("x");
  for (const std::int64_t issued : {5000, 5001}) {
    Wish again;
    again.ticket = TicketClaim{stand.now - 1h, 1, issued};
    stand.ask("a", again);
    CHECK(stand.scheduler.stamp(stand.ids["a"]) == (issued == 5001 ? 1 : stand.next_stamp - 1));
    stand.cancel("a");
  }
}

TEST_CASE("T2: a session that lost its arrival can't win it back by its ticket") {
  Stand stand(one_seat());
  Wish little;
  little.wanted = ByteRange(0, 1000);
  for (int i = 0; i < 2; ++i) {
    CHECK(stand.ask("a", little));
    stand.scheduler.issued(stand.ids["a"], 100 + i);
    stand.cut("a");
    stand.run(30s);
  }
  stand.run(11min);
  CHECK(stand.scheduler.live() == 0);
  stand.ask("x");
  little.ticket = TicketClaim{Instant(), 1, 101};
  stand.ask("a", little);
  CHECK(stand.scheduler.stamp(stand.ids["a"]) != 1);
}

TEST_CASE("T1: in the grace after a restart nobody gets a seat, and then those with the oldest arrivals do") {
  Stand stand(one_seat(), Instant(5s));
  CHECK_FALSE(stand.ask("first"));
  CHECK_FALSE(stand.ask("newcomer"));
  stand.run(4s);
  Wish old;
  old.ticket = TicketClaim{Instant(-60s), 1, 1};
  CHECK_FALSE(stand.ask("old", old));
  stand.run(1s);
  CHECK_FALSE(stand.ask("newcomer"));
  CHECK(stand.ask("old", old));
}

TEST_CASE("L1: beyond the queue's limit a newcomer is refused, one that is known is not") {
  auto settings = one_seat();
  settings.queue_limit = 3;
  Stand stand(settings);
  for (const char* name : {"a", "b", "c"}) stand.ask(name);
  CHECK_FALSE(stand.refused);
  stand.ask("d");
  REQUIRE(stand.refused);
  CHECK(stand.refused->reason == Refusal::queue_full);
  CHECK(stand.refused->retry_after > 0s);
  stand.ask("c");
  CHECK_FALSE(stand.refused);
}

TEST_CASE("L1: a principal has its own limit, which does not concern others") {
  auto settings = one_seat();
  settings.sessions_per_principal = 2;
  Stand stand(settings);
  stand.ask("a");
  stand.ask("b");
  stand.ask("c");
  CHECK(stand.refused);
  Wish other;
  other.principal = "otto";
  stand.ask("d", other);
  CHECK_FALSE(stand.refused);
}

TEST_CASE("rate_limited: the twenty-first question at once is refused, the place is kept") {
  Stand stand(one_seat());
  stand.ask("a");
  for (int i = 0; i < 21; ++i) stand.ask("b");
  CHECK_FALSE(stand.refused);  // the first one made the session
  stand.ask("b");
  REQUIRE(stand.refused);
  CHECK(stand.refused->reason == Refusal::too_many_questions);
  CHECK(stand.scheduler.position(stand.ids["b"]) == 1);
  stand.run(1s);
  stand.ask("b");
  CHECK_FALSE(stand.refused);
}

TEST_CASE("an object of another size waits with its new size") {
  Stand stand(one_seat());
  stand.ask("a");
  stand.ask("b");
  stand.ask("c");
  Wish grown;
  grown.size = 500 * kMiB;
  stand.ask("b", grown);
  stand.ask("c");
  CHECK(stand.notice("c").start->point == 600s);
}

TEST_CASE("S8, T2: who idled without need can't have the loss forgotten by staying away") {
  Stand stand(one_seat());
  Wish little;
  little.wanted = ByteRange(0, 1000);
  stand.ask("a", little);
  stand.scheduler.issued(stand.ids["a"], 100);
  stand.cut("a");
  stand.run(30s);
  CHECK(stand.ask("x"));
  stand.ask("a", little);
  stand.run(stand.notice("a").check_in * 2 + 31s);
  CHECK_FALSE(stand.scheduler.is_live(stand.ids["a"]));  // a no-show
  little.ticket = TicketClaim{Instant(), 1, 100};
  stand.ask("a", little);
  CHECK(stand.scheduler.stamp(stand.ids["a"]) != 1);
}

TEST_CASE("O3: a class pays for what a session asks for after its grant") {
  auto settings = one_seat();
  Stand stand(settings);
  Wish sly;
  sly.download_class = DownloadClass::background;
  sly.size = 80 * kMiB;
  sly.wanted = ByteRange(80 * kMiB - 1, 80 * kMiB);
  sly.is_tail_read = false;
  stand.ask("sly", sly);
  Wish background;
  background.download_class = DownloadClass::background;
  background.size = 80 * kMiB;
  Wish person;
  person.size = 80 * kMiB;
  for (int i = 0; i < 12; ++i) stand.ask("i" + std::to_string(i), person);
  stand.ask("g", background);
  stand.seats.at("sly").sent(80 * kMiB);
  stand.cut("sly");
  stand.scheduler.cancel(key_of("sly"), stand.now);
  // 80 MiB of background weigh as much as 640 of interactive.
  CHECK(stand.scheduler.position(stand.ids["g"]) > 8);
}

TEST_CASE("S5: an answer of an earlier content of the object covers nothing of the present one") {
  Stand stand(one_seat());
  Wish end;
  end.wanted = ByteRange(50 * kMiB, 100 * kMiB);
  CHECK(stand.ask("a", end));
  Arrival changed;
  changed.key = key_of("a");
  changed.principal = "anna";
  changed.size = end.size;
  changed.version = 2;
  changed.wanted = ByteRange(0, 50 * kMiB);
  const auto id = std::get<SessionId>(stand.scheduler.arrive(changed, stand.now));
  auto seat = stand.scheduler.take(id, changed.wanted);
  REQUIRE(seat);
  std::move(*seat).complete();
  stand.end("a");
  CHECK(stand.scheduler.is_live(id));
}

TEST_CASE("a crowd that does not come back is dropped on one tick") {
  auto settings = one_seat();
  settings.queue_limit = 30'000;
  Stand stand(settings);
  stand.ask("a");
  for (int i = 0; i < 20'000; ++i) {
    Arrival arrival;
    arrival.key = key_of("c" + std::to_string(i));
    arrival.principal = "anonymous";
    arrival.is_anonymous = true;
    arrival.size = kGiB;
    arrival.wanted = ByteRange(static_cast<std::uint64_t>(i), kGiB);
    stand.scheduler.tell(std::get<SessionId>(stand.scheduler.arrive(arrival, stand.now)), stand.now);
  }
  CHECK(stand.scheduler.waiting() == 20'000);
  stand.run(33s);
  CHECK(stand.scheduler.waiting() == 0);
}
