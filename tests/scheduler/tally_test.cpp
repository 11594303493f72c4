// SPDX-License-Identifier: Apache-2.0
// What people are shown of a scheduler: what has happened, who is here, and how good the estimates were (E4).
#include "server-stub/scheduler/tally.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "server-stub/scheduler/stamp.h"
#include "server-stub/scheduler/throughput.h"
#include "server-stub/scheduler/told_start.h"
#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

// 1 MiB takes a second.
SchedulerSettings one_seat() {
  SchedulerSettings settings;
  settings.sessions = 1;
  settings.reserve = 0;
  settings.bandwidth = 1 * kMiB;
  settings.aging = Duration(0);
  settings.preempt = false;
  return settings;
}

std::uint64_t count(const Histogram& histogram) {
  return std::accumulate(histogram.counts().begin(), histogram.counts().end(), std::uint64_t{0});
}

const ClassCount& of(const Census& census, DownloadClass name) { return census[static_cast<std::size_t>(name)]; }

}  // namespace

TEST_CASE("a time lies in the first bucket whose bound it does not exceed") {
  constexpr std::array<Duration, 2> kBounds{1s, 2s};
  Histogram histogram(kBounds);
  for (const Duration time : {Duration(0), Duration(1s), Duration(1s) + 1ns, Duration(2s), Duration(3s), Duration(-1s)})
    histogram.add(time);
  CHECK(histogram.counts() == std::vector<std::uint64_t>{3, 2, 1});
  CHECK(histogram.seconds() == doctest::Approx(7.0));
}

TEST_CASE("the sum of times holds more than a duration can") {
  constexpr std::array<Duration, 1> kBounds{1s};
  Histogram histogram(kBounds);
  for (int i = 0; i < 4; ++i) histogram.add(Duration::max());
  CHECK(histogram.seconds() == doctest::Approx(4 * 9'223'372'036.85));
}

TEST_CASE("only the first start that was told is compared, either way and with its interval (E4)") {
  ToldStart told;
  CHECK_FALSE(told.is_known());
  CHECK_FALSE(told.error(1s));
  told.keep({10s, 8s, 13s}, 30s);
  told.keep({100s, 100s, 100s}, 30s);
  CHECK(told.error(40s)->size <= 40ms);
  CHECK(std::chrono::abs(told.error(37s)->size - 3s) <= 40ms);
  CHECK(std::chrono::abs(told.error(44s)->size - 4s) <= 40ms);
  CHECK_FALSE(told.error(37500ms)->is_inside_interval);
  CHECK(told.error(38s)->is_inside_interval);
  CHECK(told.error(43s)->is_inside_interval);
  CHECK_FALSE(told.error(43500ms)->is_inside_interval);
}

TEST_CASE("a start told is kept to a thousandth and its interval never gets smaller, however long the wait") {
  for (const Duration point :
       {Duration(0), Duration(30ms), Duration(7s), Duration(5min), Duration(100min), Duration(999h)})
    for (const Duration side : {Duration(0), Duration(10ms), Duration(3s), Duration(70min)}) {
      CAPTURE(point.count());
      CAPTURE(side.count());
      ToldStart told;
      const auto from = std::max(point - side, Duration(0));
      told.keep({point, from, point + side}, 0s);
      CHECK(told.is_known());
      CHECK(told.error(point)->size <= std::max<Duration>(point / 1000, 10ms));
      for (const auto& start : {from, point, point + side}) CHECK(told.error(start)->is_inside_interval);
      const auto slack = side / 16 + point / 500 + 20ms;
      CHECK_FALSE(told.error(point + side + slack)->is_inside_interval);
      if (from > slack) CHECK_FALSE(told.error(from - slack)->is_inside_interval);
    }
}

TEST_CASE("a start that lies further ahead than a hundred days is not kept") {
  ToldStart told;
  told.keep({2300h, 2300h, 2401h}, 0s);
  CHECK_FALSE(told.is_known());
  told.keep({2300h, 2300h, 2399h}, 2h);
  CHECK_FALSE(told.is_known());
  told.keep({2300h, 2300h, 2399h}, 1h);
  CHECK(told.is_known());
}

TEST_CASE("a stamp holds every time of thousands of years, and the nearest of others") {
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1'800'000'000'000},
                                  std::int64_t{-65'537}, Stamp::kLatest, -Stamp::kLatest - 1}) {
    CAPTURE(time);
    CHECK(std::int64_t{Stamp(time)} == time);
  }
  CHECK(std::int64_t{Stamp(INT64_MAX)} == Stamp::kLatest);
  CHECK(std::int64_t{Stamp(INT64_MIN)} == -Stamp::kLatest - 1);
}

TEST_CASE("the record of a session that waits has not grown by what metrics ask for") { CHECK(sizeof(Session) <= 136); }

TEST_CASE("throughput is that of the last ten seconds, by class") {
  Throughput throughput;
  CHECK(throughput.rate(DownloadClass::bulk) == 0);
  throughput.delivered(DownloadClass::bulk, 300);
  CHECK(throughput.rate(DownloadClass::bulk) == 0);
  throughput.end_second(1s);
  CHECK(throughput.rate(DownloadClass::bulk) == 300);
  throughput.end_second(2s);
  CHECK(throughput.rate(DownloadClass::bulk) == 100);
  CHECK(throughput.rate(DownloadClass::release) == 0);
  for (int i = 0; i < 8; ++i) throughput.end_second(1s);
  CHECK(throughput.rate(DownloadClass::bulk) == 300 / 11);
  throughput.end_second(1s);
  CHECK(throughput.rate(DownloadClass::bulk) == 0);
  CHECK(throughput.total(DownloadClass::bulk) == 300);
}

TEST_CASE("waits are counted by class from the arrival to the first seat, once for each session") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  stand.hold("b", {.download_class = DownloadClass::bulk, .size = 20 * kMiB});
  stand.run(20s);
  stand.end("a");
  CHECK(stand.is_seated("b"));
  const auto& tally = stand.scheduler.tally();
  CHECK(count(tally.waits(DownloadClass::interactive)) == 1);
  CHECK(tally.waits(DownloadClass::interactive).seconds() == 0.0);
  CHECK(count(tally.waits(DownloadClass::bulk)) == 1);
  CHECK(tally.waits(DownloadClass::bulk).seconds() == doctest::Approx(20.0));
  // Nobody was told a start, so none was right or wrong.
  CHECK(count(tally.estimate_errors()) == 0);
}

TEST_CASE("what was told first is held against the start, and where the start comes late it is seen (E4)") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  CHECK_FALSE(stand.ask("b", {.size = 20 * kMiB}));  // a newcomer is told no start
  stand.run(2s);
  stand.send("a", 2 * kMiB);
  CHECK_FALSE(stand.ask("b", {.size = 20 * kMiB}));
  REQUIRE(stand.notice("b").start);
  CHECK(stand.notice("b").start->point == 18s);
  stand.run(9s);
  stand.send("a", 9 * kMiB);
  CHECK_FALSE(stand.ask("b", {.size = 20 * kMiB}));
  // `a` takes five seconds longer than the link would.
  stand.run(14s);
  stand.end("a");
  CHECK(stand.ask("b", {.size = 20 * kMiB}));
  const auto& tally = stand.scheduler.tally();
  CHECK(count(tally.estimate_errors()) == 1);
  CHECK(tally.estimate_errors().seconds() == doctest::Approx(5.0).epsilon(0.01));
  CHECK(tally.inside_interval() == 0);
}

TEST_CASE("a start that came as told counts as inside its interval (E4)") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  CHECK_FALSE(stand.ask("b", {.size = 20 * kMiB}));
  stand.run(2s);
  stand.send("a", 2 * kMiB);
  CHECK_FALSE(stand.ask("b", {.size = 20 * kMiB}));
  stand.run(18s);
  stand.end("a");
  CHECK(stand.ask("b", {.size = 20 * kMiB}));
  CHECK(stand.scheduler.tally().estimate_errors().counts().front() == 1);
  CHECK(stand.scheduler.tally().inside_interval() == 1);
}

TEST_CASE("who does not come back and whose seat is lost are counted by class") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.download_class = DownloadClass::release, .size = 20 * kMiB}));
  CHECK_FALSE(stand.ask("b", {.download_class = DownloadClass::bulk, .size = 20 * kMiB}));
  stand.run(1min);
  const auto& tally = stand.scheduler.tally();
  CHECK(tally.times(Tally::Event::no_show, DownloadClass::bulk) == 1);
  CHECK(tally.times(Tally::Event::no_show) == 1);
  CHECK(tally.times(Tally::Event::seat_lost) == 0);
  stand.cut("a", 1 * kMiB);
  stand.run(1min);
  CHECK(tally.times(Tally::Event::seat_lost, DownloadClass::release) == 1);
  CHECK(of(stand.scheduler.census(stand.now), DownloadClass::release).parked == 1);
}

TEST_CASE("a ticket of a finished download is counted as used up") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  stand.scheduler.issued(stand.ids.at("a"), 5000);
  stand.end("a");
  CHECK(stand.ask("a", {.size = 20 * kMiB, .ticket = TicketClaim{Instant(), 1000, 5000}}));
  CHECK(stand.scheduler.tally().times(Tally::Event::ticket_used_up) == 1);
}

TEST_CASE("the census counts sessions by their own class, what they want and how long the first has waited") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  stand.hold("b", {.download_class = DownloadClass::bulk, .size = 3 * kMiB});
  stand.run(4s);
  stand.hold("c", {.download_class = DownloadClass::bulk, .size = 5 * kMiB});
  stand.run(1s);
  const auto census = stand.scheduler.census(stand.now);
  CHECK(of(census, DownloadClass::interactive).active == 1);
  CHECK(of(census, DownloadClass::interactive).waiting == 0);
  CHECK(of(census, DownloadClass::interactive).oldest_wait == 0s);
  CHECK(of(census, DownloadClass::bulk).active == 0);
  CHECK(of(census, DownloadClass::bulk).waiting == 2);
  CHECK(of(census, DownloadClass::bulk).waiting_bytes == 8 * kMiB);
  CHECK(of(census, DownloadClass::bulk).oldest_wait == 5s);
}

TEST_CASE("one that has aged into another line is counted in its own class") {
  auto settings = one_seat();
  settings.aging = 10s;
  Stand stand(settings);
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  stand.hold("b", {.download_class = DownloadClass::background});
  stand.run(15s);
  CHECK(of(stand.scheduler.census(stand.now), DownloadClass::background).waiting == 1);
  CHECK(of(stand.scheduler.census(stand.now), DownloadClass::bulk).waiting == 0);
}

TEST_CASE("principals that wait are named with their counts, those with most first") {
  Stand stand(one_seat());
  CHECK(stand.ask("a", {.principal = "zoe", .size = 20 * kMiB}));
  CHECK(stand.scheduler.waiting_principals().empty());
  stand.hold("b", {.principal = "anna"});
  stand.hold("c", {.principal = "bert"});
  stand.hold("d", {.principal = "zoe"});
  stand.hold("e", {.principal = "zoe"});
  const auto counts = stand.scheduler.waiting_principals();
  REQUIRE(counts.size() == 3);
  CHECK(counts[0].name == "zoe");
  CHECK(counts[0].waiting == 2);
  CHECK(counts[0].active == 1);
  CHECK(counts[1].name == "anna");
  CHECK(counts[2].name == "bert");
}

TEST_CASE("the queue is empty when the last in line has its seat, if nobody else comes") {
  Stand stand(one_seat());
  CHECK(stand.scheduler.empties_in(stand.now) == Duration(0));
  CHECK(stand.ask("a", {.size = 20 * kMiB}));
  CHECK(stand.scheduler.empties_in(stand.now) == Duration(0));
  stand.hold("b", {.size = 30 * kMiB});
  stand.hold("c", {.size = 40 * kMiB});
  CHECK(stand.scheduler.empties_in(stand.now) == Duration(50s));
  stand.run(5s);
  stand.send("a", 5 * kMiB);
  CHECK(stand.scheduler.empties_in(stand.now) == Duration(45s));
}

TEST_CASE("when the queue is empty is not told without a rate, nor where one would never start") {
  auto settings = one_seat();
  settings.bandwidth.reset();
  Stand unknown(settings);
  CHECK(unknown.ask("a"));
  unknown.hold("b");
  CHECK_FALSE(unknown.scheduler.empties_in(unknown.now));
  auto reserved = one_seat();
  reserved.reserve = 1;
  Stand never(reserved);
  never.hold("b", {.download_class = DownloadClass::bulk});
  CHECK_FALSE(never.scheduler.empties_in(never.now));
}
