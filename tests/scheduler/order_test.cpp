// SPDX-License-Identifier: Apache-2.0
// Clients that poll as arkvoryctl does, on one seat, in virtual time: in order but for neighbours marked together.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/rng.h"
#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

// When the client asks again: whole seconds, rounded up, and a random addition (client.md, Waiting).
Instant next_question(const Stand& stand, const std::string& client, Rng& rng) {
  const auto told = std::chrono::ceil<std::chrono::seconds>(stand.notice(client).check_in);
  return stand.now + told + rng.up_to(std::max<Duration>(1200ms, Duration(told) / 10));
}

}  // namespace

TEST_CASE("S12: eight polling clients on one seat all complete, in order but for those marked together") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    SchedulerSettings settings;
    settings.sessions = 1;
    settings.bandwidth = 20 * kMiB;
    Stand stand(settings);
    Wish wish;
    wish.size = 20 * kMiB + rng.below(300) * kMiB;
    std::map<Instant, std::string> questions;
    for (int i = 0; i < 8; ++i) questions[Instant(i * 10ms)] = "c" + std::to_string(i);

    std::string sending;
    Instant sent_at;
    Instant next_tick(kTick);
    std::size_t finished = 0;
    std::uint64_t free_ticks = 0;  // in a row before the last tick
    std::size_t marked = 0;
    while (finished < 8) {
      REQUIRE(stand.now < Instant(1h));
      auto next = next_tick;
      if (!sending.empty()) next = std::min(next, sent_at);
      if (!questions.empty()) next = std::min(next, questions.begin()->first);
      stand.now = next;
      if (!sending.empty() && next == sent_at) {
        stand.end(sending);
        sending.clear();
        ++finished;
      } else if (next == next_tick) {
        if (!sending.empty()) stand.send(sending, std::min(stand.left(sending), 10 * kMiB));
        const std::size_t soon = !sending.empty() && stand.left(sending) <= 100 * kMiB ? 1 : 0;
        marked = (2 * (stand.scheduler.free_seats() + soon)) << std::min<std::uint64_t>(free_ticks, 20);
        stand.scheduler.tick(next, stand.changes);
        stand.scheduler.settle(next, stand.changes);
        free_ticks = stand.scheduler.free_seats() > 0 && stand.scheduler.waiting() > 0 ? free_ticks + 1 : 0;
        next_tick += kTick;
      } else {
        const auto client = questions.begin()->second;
        questions.erase(questions.begin());
        const bool is_known = stand.ids.count(client) != 0;
        const auto position = is_known ? stand.scheduler.position(stand.ids.at(client)) : 0;
        if (!stand.ask(client, wish)) {
          questions[next_question(stand, client, rng)] = client;
          continue;
        }
        sending = client;
        sent_at = stand.now + Duration(std::chrono::seconds(1)) * static_cast<Duration::rep>(wish.size / kMiB) / 20;
        if (is_known) CHECK(position <= std::max<std::size_t>(marked, 1));
      }
    }
    CHECK(stand.scheduler.live() == 0);
  }
}
