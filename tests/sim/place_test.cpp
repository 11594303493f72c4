// SPDX-License-Identifier: Apache-2.0
// The place in a queue is kept through anything: id, ticket and place are on disk while a download waits.
#include <doctest/doctest.h>

#include <algorithm>

#include "checkpoint/read_checkpoint.h"
#include "tests/sim/download_case.h"

using namespace arkvory;
using namespace arkvory::sim;
using namespace std::chrono_literals;

namespace {

std::optional<DownloadFacts> facts_on_disk(World& world, const char* target = World::kTarget) {
  auto read = read_checkpoint(world.disk, target);
  REQUIRE(read);
  if (!*read) return std::nullopt;
  return (*read)->progress.facts;
}

std::string sent(const SimOrigin::Entry& entry, std::string_view name) {
  return std::string(entry.headers.first(name).value_or(""));
}

}  // namespace

TEST_CASE("the newest ticket is sent back each time and is on disk before it is") {
  World world(1);
  world.serve(1000);
  int answered = 0;
  world.origin.amend([&](const SimRequest& request, SimAnswer& answer) {
    if (answered > 0) {
      const auto ticket = "ticket-" + std::to_string(answered);
      CHECK(request.headers.first("Arkvory-Queue-Ticket") == ticket);
      const auto facts = facts_on_disk(world);
      REQUIRE(facts);
      CHECK(facts->ticket->ticket.text() == ticket);
      CHECK(facts->id.text() == request.headers.first("Arkvory-Download-Id"));
      CHECK(facts->place->position == 100U - static_cast<unsigned>(answered));
    }
    if (++answered > 5) return;
    const auto headers = queued(100U - static_cast<unsigned>(answered), "30", "ticket-" + std::to_string(answered));
    answer.head = {.status = 503, .headers = headers};
    answer.body = {};
  });
  CHECK(run(world, world.job()).succeeded == 1);
  CHECK(answered == 6);
}

TEST_CASE("killed at any moment while it is queued, the next run has the id and the newest ticket on the wire") {
  for (int second = 2; second < 100; second += 7) {
    CAPTURE(second);
    World world(static_cast<std::uint64_t>(second));
    world.serve(1000);
    int answered = 0;
    world.origin.amend([&](const SimRequest&, SimAnswer& answer) {
      if (++answered > 12) return;
      answer.head = {.status = 503, .headers = queued(9, "10", "ticket-" + std::to_string(answered))};
      answer.body = {};
    });
    world.network.at(Instant(std::chrono::seconds(second)),
                     [&world] { world.disk.stop_at(world.disk.operations() + 1); });
    CHECK_FALSE(world.run(world.job()));
    world.kill();
    const auto before = world.origin.log();
    const auto facts = facts_on_disk(world);
    REQUIRE(facts);
    CHECK(facts->place->position == 9);
    CHECK(run(world, world.job()).succeeded == 1);
    const auto& next = world.origin.log().at(before.size());
    CHECK(sent(next, "Arkvory-Download-Id") == sent(before.front(), "Arkvory-Download-Id"));
    // The kill may fall between an answer and its record: then the ticket is the one before, with the same arrival.
    const auto newest = "ticket-" + std::to_string(before.size());
    const auto one_before = "ticket-" + std::to_string(before.size() - 1);
    const auto ticket = sent(next, "Arkvory-Queue-Ticket");
    CHECK((ticket == newest || ticket == one_before));
  }
}

TEST_CASE("a place is no place any more once it is served") {
  World world(1);
  auto job = slow_download(world);
  world.origin.answer_next(1, 503, queued(9, "1"));
  world.interrupt_at(Instant(6s));
  REQUIRE(world.run(job));
  const auto facts = facts_on_disk(world);
  REQUIRE(facts);
  CHECK_FALSE(facts->place);
  CHECK(facts->waited >= 1s);
}

TEST_CASE("a queued download that nobody has named yet is kept under the name that its URL gives") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(1, 503, queued(9, "60"));
  auto job = world.job();
  job.name.clear();
  world.network.at(Instant(30s), [&world] { world.network.wake(); });
  world.interrupt_at(Instant(30s));
  REQUIRE(world.run(job));
  CHECK(facts_on_disk(world, "/home/file"));
  const auto id = sent(world.origin.log().front(), "Arkvory-Download-Id");
  const auto result = world.run(job);
  REQUIRE(result);
  CHECK(result->succeeded == 1);
  CHECK(sent(world.origin.log().back(), "Arkvory-Download-Id") == id);
  CHECK(world.names() == std::vector<std::string>{"file"});
}

TEST_CASE("where the answer gives another name in the end, all that was kept moves there") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(3, 503, queued(9, "2"));
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    if (answer.head.status == 206) answer.head.headers.add("Content-Disposition", "attachment; filename=\"out.bin\"");
  });
  auto job = world.job();
  job.name.clear();
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("where something stands under the answer's name already, the guess leaves nothing behind") {
  World world(1);
  world.serve(1000);
  world.origin.answer_next(3, 503, queued(9, "2"));
  world.origin.amend([](const SimRequest&, SimAnswer& answer) {
    if (answer.head.status == 206) answer.head.headers.add("Content-Disposition", "attachment; filename=\"out.bin\"");
  });
  world.disk.put(World::kTarget, world.object());
  auto job = world.job();
  job.name.clear();
  CHECK(run(world, job).succeeded == 1);
}

TEST_CASE("ended after any file operation of a wait under a guessed name, the next run finishes, with the same id") {
  for (std::uint64_t stop = 1; stop < 200; ++stop) {
    CAPTURE(stop);
    World world(stop);
    world.serve(1000);
    world.origin.answer_next(3, 503, queued(9, "2"));
    world.origin.amend([](const SimRequest&, SimAnswer& answer) {
      if (answer.head.status == 206) answer.head.headers.add("Content-Disposition", "attachment; filename=\"out.bin\"");
    });
    auto job = world.job();
    job.name.clear();
    world.disk.stop_at(stop);
    const bool ended = world.run(job).has_value();
    world.kill();
    world.disk.stop_at(~std::uint64_t{0});
    if (ended) {
      CHECK(stop > 20);
      return;
    }
    const auto result = world.run(job);
    REQUIRE(result);
    REQUIRE(result->succeeded == 1);
  }
  FAIL("a run has fewer file operations");
}
