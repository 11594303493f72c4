// SPDX-License-Identifier: Apache-2.0
// Random clients in virtual time: invariants hold after every step (L5), and in the end all is empty (S10).
#include <doctest/doctest.h>

#include <string>

#include "core/base/rng.h"
#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

TEST_CASE("L5, S10: whatever clients do, the invariants hold and every counter returns to zero") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    SchedulerSettings settings;
    settings.sessions = 1 + rng.below(4);
    settings.bandwidth = 10 * kMiB;
    settings.queue_limit = 12;
    Stand stand(settings);
    const auto name = [&] { return "c" + std::to_string(rng.below(16)); };
    for (int step = 0; step < 400; ++step) {
      const auto client = name();
      const bool sits = stand.is_seated(client);
      switch (rng.below(7)) {
        case 0:
        case 1:
        case 2: {
          Wish wish;
          wish.principal = "p" + std::to_string(rng.below(3));
          wish.download_class = static_cast<DownloadClass>(rng.below(4));
          const auto begin = rng.below(90) * kMiB;
          wish.wanted = ByteRange(begin, begin + 10 * kMiB);
          wish.is_tail_read = rng.chance(10);
          wish.has_download_id = rng.chance(80);
          if (!sits) stand.ask(client, wish);
          break;
        }
        case 3:
          if (sits) stand.end(client);
          break;
        case 4:
          if (sits) stand.cut(client, rng.below(kMiB));
          break;
        case 5: stand.scheduler.cancel(key_of(client), stand.now); break;
        default: stand.run(rng.up_to(40s)); break;
      }
      REQUIRE(stand.scheduler.active() <= settings.seats());
      REQUIRE(stand.scheduler.live() <= settings.queue_limit);
    }
    stand.seats.clear();
    stand.run(30min);
    CHECK(stand.scheduler.live() == 0);
    CHECK(stand.scheduler.active() == 0);
    CHECK(stand.scheduler.waiting() == 0);
    stand.scheduler.check_invariants();
  }
}
