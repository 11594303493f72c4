// SPDX-License-Identifier: Apache-2.0
// Servers that ask to come back later, in all the ways in which they say so (client.md, Waiting).
#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/rfc3339.h"
#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

SimAnswer busy_answer(const Headers& headers, std::string body = {}) {
  SimAnswer answer;
  answer.head = {.status = 503, .headers = headers};
  answer.body = SimBody::of(std::move(body));
  return answer;
}

}  // namespace

TEST_CASE("a sibling that is still served while everything waits lets nobody else ask: one poller (A9)") {
  World world(1);
  auto job = slow_download(world);
  // Four ranges run; two are told to wait, one answer comes a little later.
  int number = 0;
  world.origin.amend([&](const SimRequest& request, SimAnswer& answer) {
    ++number;
    if (number == 4) answer.delay = 300ms;
    if (number == 3 || (number > 4 && request.time < Instant(10s))) {
      answer.head = {.status = 503, .headers = queued(7, "1")};
      answer.body = {};
    }
  });
  CHECK(run(world, job).succeeded == 1);
  std::vector<Instant> asked;
  for (const auto& entry : world.origin.log())
    if (entry.status == 503) asked.push_back(entry.time);
  REQUIRE(asked.size() > 3);
  for (std::size_t i = 1; i < asked.size(); ++i) CHECK(asked[i] - asked[i - 1] >= 1s);
}

TEST_CASE("a thousand busy answers leave the budget untouched") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(1000, 503, asked_back("3"));
  auto job = world.job();
  job.shape.max_retries = 0;
  job.shape.max_attempts = 1;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.origin.log().size() == 1001);
  CHECK(world.clock.now() - Instant() >= 3000s);
  CHECK(world.events.count("waiting busy") == 1000);
}

TEST_CASE("no network is weather: it is waited out, however long, at no cost (C18)") {
  World world(1);
  world.serve(1000);
  world.network.set_online(false);
  world.network.at(Instant(2h), [&world] { world.network.set_online(true); });
  auto job = world.job();
  job.shape.max_retries = 0;
  CHECK(run(world, job).succeeded == 1);
  CHECK(world.events.count("waiting network") > 10);
}

TEST_CASE("each answer of a queue is one event with place, start and class, and when it asks again (A7)") {
  World world(1);
  world.serve(1000);
  for (std::uint64_t place = 4; place >= 1; --place) {
    auto headers = queued(place, "1");
    headers.add("Arkvory-Starts-At", "2027-01-01T00:47:00Z");
    headers.add("Arkvory-Download-Class", "bulk");
    world.origin.answer_next(1, 503, headers,
                             R"({"code":"busy","startsBetween":["2027-01-01T00:40:00Z","2027-01-01T00:50:00Z"]})");
  }
  CHECK(run(world, world.job()).succeeded == 1);
  REQUIRE(world.events.waits.size() == 4);
  CHECK(world.events.count("waiting queue") == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& wait = world.events.waits[i];
    CHECK(wait.position == 4 - i);
    CHECK(wait.starts_at == parse_rfc3339("2027-01-01T00:47:00Z"));
    REQUIRE(wait.starts_between);
    CHECK(wait.starts_between->from == parse_rfc3339("2027-01-01T00:40:00Z"));
    CHECK(wait.download_class == "bulk");
    CHECK(wait.until - WallTime(world.origin.log()[i].time.time_since_epoch() + 1798761600s) >= 1s);
  }
  CHECK(world.events.outcome->in_queue >= 4s);
  CHECK(world.events.outcome->in_transfer < 1s);
}

TEST_CASE("a 404 or 410 with queue headers is a forgotten ticket with a new place (A8)") {
  for (const int status : {404, 410}) {
    World world(1);
    world.serve(1000);
    world.origin.answer_next(1, status, queued(9, "2"));
    CHECK(run(world, world.job()).succeeded == 1);
    CHECK(world.events.count("waiting queue") == 1);
    CHECK(world.events.count("notice new_place") == 1);
  }
}

TEST_CASE("`code: busy` in a problem body makes a refusal busy, whatever its status says") {
  for (const int status : {400, 403, 404, 418, 500, 503}) {
    CAPTURE(status);
    World world(1);
    world.serve(1000);
    world.origin.answer_next(3, status, {}, R"({"code":"busy","reason":"queue_full"})");
    auto job = world.job();
    job.shape.max_retries = 0;
    job.shape.max_attempts = 1;
    CHECK(run(world, job).succeeded == 1);
    CHECK(world.events.count("waiting busy") == 3);
  }
}

TEST_CASE("where Retry-After was lost on the way, the body's checkAt counts, by the server's own clock") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(1, 503, {}, R"({"code":"busy","checkAt":"2027-01-01T00:00:20Z"})");
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.origin.log().at(1).time >= Instant(20s));
  CHECK(world.origin.log().at(1).time <= Instant(23s));
}

TEST_CASE("of a busy answer's body at most 64 KiB are read") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(1, 503, asked_back("1"), std::string(4 * kMiB, 'x'));
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.origin.log().front().bytes_sent <= 128 * kKiB);
}

TEST_CASE("a 202 with Retry-After is waited for and never saved (A16); without it is a fault") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(3, 202, asked_back("1"), "preparing");
  world.origin.answer_next(1, 202, {}, "preparing");
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.events.count("waiting busy") == 3);
  CHECK(world.events.count("waiting fault") == 1);
}

TEST_CASE("a redirect with Retry-After is followed when its time has come (A14)") {
  World world(1);
  SimOrigin other(world.network, world.clock, "http://other.example");
  world.serve(1000);
  other.put("/there", {.seed = 1, .size = 1000});
  auto headers = asked_back("2");
  headers.add("Location", other.url("/there"));
  world.origin.answer_next(1, 302, headers);
  CHECK(run(world, world.job()).succeeded == 1);
  REQUIRE(other.log().size() == 1);
  CHECK(other.log().front().time >= Instant(2s));
}

TEST_CASE("a server that paces with redirects to itself leads nobody in a circle") {
  World world(1);
  world.serve(1000);
  auto headers = asked_back("1");
  headers.add("Location", World::kPath);
  world.origin.answer_next(50, 302, headers);
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.clock.now() >= Instant(50s));
}

TEST_CASE("busy from a redirected URL: the first one is asked again (A15), and its ticket is nobody's") {
  World world(1);
  SimOrigin cdn(world.network, world.clock, "http://cdn.example");
  world.serve(1000);
  cdn.put("/there", {.seed = 1, .size = 1000});
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    answer.head = {.status = 302, .headers = {}};
    answer.head.headers.add("Location", cdn.url("/there"));
    answer.body = {};
  });
  cdn.answer_next(2, 429, queued(3, "2", "theirs"));
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(world.origin.log().size() == 3);
  CHECK(cdn.log().size() == 3);
  for (const auto& entry : world.origin.log()) CHECK_FALSE(entry.headers.has("Arkvory-Queue-Ticket"));
}

TEST_CASE("when the seat is gone no new range starts, running ones end, one asks at a time, then all go on (A9)") {
  World world(1);
  world.origin.set_rate(kMiB);
  world.serve(8 * kMiB);
  int requests = 0;
  std::size_t together = 0;
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    ++requests;
    if (requests > 2 && requests <= 10) answer = busy_answer(queued(7, "1"));
    if (requests > 4 && requests <= 10) together = std::max(together, world.network.running());
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  CHECK(run(world, job).succeeded == 1);
  const auto& log = world.origin.log();
  // The first is served and brings three more; of these one is served, and from then on one asks at a time, beside the
  // ranges that still run.
  CHECK(together <= 3);
  for (std::size_t i = 4; i < 10; ++i) CHECK(log[i].time - log[i - 1].time >= 1s);
  CHECK(world.origin.bytes_sent() == 8 * kMiB);
  CHECK(world.events.count("notice connections") == 0);
}

TEST_CASE("a server that gives fewer ranges at once gets fewer, and nothing else stops") {
  for (const bool says_so : {true, false}) {
    CAPTURE(says_so);
    World world(1);
    world.origin.set_rate(kMiB);
    world.serve(20 * kMiB);
    std::size_t refused = 0;
    std::vector<Instant> seats;  // until when each is taken: a range takes a second
    world.origin.amend([&](const SimRequest& request, SimAnswer& answer) {
      std::erase_if(seats, [&](Instant until) { return until <= request.time; });
      if (seats.size() < 2) return seats.push_back(request.time + 1s);
      ++refused;
      answer = busy_answer(asked_back("5"), says_so ? R"({"code":"busy","reason":"too_many_ranges"})" : "");
    });
    auto job = world.job();
    job.shape.range_size = kMiB;
    job.shape.connections = 4;
    CHECK(run(world, job).succeeded == 1);
    CHECK(refused <= 3);
    CHECK(world.events.count("notice connections") == refused);
    CHECK(world.events.count("waiting busy") == 0);
    // Two connections bring a MiB a second each, but for the range that was told to wait.
    CHECK(world.clock.now() < Instant(14s));
  }
}

TEST_CASE("a range that a busy server asked to wait for is not asked for earlier, whatever its siblings meet") {
  World world(1);
  world.serve(4 * kMiB);
  world.origin.set_rate(kMiB);
  int requests = 0;
  world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
    ++requests;
    if (requests == 2) answer = busy_answer(asked_back("30"));
    if (requests == 1) answer.cut_after = 700'000;
  });
  auto job = world.job();
  job.shape.range_size = kMiB;
  job.shape.connections = 2;
  CHECK(run(world, job).succeeded == 1);
  const auto asked = [](const SimOrigin::Entry& entry) { return entry.bytes && entry.bytes->begin() == kMiB; };
  const auto& log = world.origin.log();
  const auto again = std::find_if(log.begin() + 2, log.end(), asked);
  REQUIRE(again != log.end());
  CHECK(again->time >= Instant(30s));
}

TEST_CASE("fifty clients that are told the same time come back over at least a second (A17)") {
  Instant first = Instant::max();
  Instant last{};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    World world(seed);
    world.serve(1000);
    world.origin.answer_next(1, 503, asked_back("5"));
    CHECK(run(world, world.job()).succeeded == 1);
    const auto back = world.origin.log().at(1).time;
    CHECK(back >= Instant(5s));
    first = std::min(first, back);
    last = std::max(last, back);
  }
  CHECK(last - first >= 1s);
}

TEST_CASE("a client that waits wakes at most sixty times an hour beyond its polls") {
  World world(1);
  world.serve(1000);
  constexpr int polls = 24;
  world.origin.answer_next(polls, 503, queued(7, "3600"));
  auto job = world.job();
  job.shape.wait_limit = 48h;
  CHECK(run(world, job).succeeded == 1);
  const auto hours = std::chrono::ceil<std::chrono::hours>(world.clock.now() - Instant()).count();
  // A poll is a request, its head, its body and its end.
  CHECK(world.wakes() <= static_cast<std::uint64_t>(hours) * 60 + 5 * (polls + 1));
}
