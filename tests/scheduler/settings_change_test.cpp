// SPDX-License-Identifier: Apache-2.0
// Settings that change while sessions wait and send: from the next decision on, and nobody is broken off (O1).
#include <doctest/doctest.h>

#include <string>

#include "tests/scheduler/stand.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

SchedulerSettings plain(std::uint64_t seats) {
  SchedulerSettings settings;
  settings.sessions = seats;
  settings.reserve = 0;
  settings.per_principal = 0;
  settings.preempt = false;
  settings.bandwidth = 10 * kMiB;
  return settings;
}

Wish wish(const std::string& principal, std::uint64_t size, DownloadClass name = DownloadClass::bulk) {
  Wish wish;
  wish.principal = principal;
  wish.download_class = name;
  wish.size = size;
  return wish;
}

std::string order_of_all(Stand& stand) {
  std::string order;
  while (!stand.seats.empty()) {
    const auto client = stand.seats.begin()->first;
    order += client + " ";
    stand.end(client);
  }
  return order;
}

}  // namespace

TEST_CASE("O1: the strategy is switched with the next decision, to and fro, and whoever sends goes on") {
  Stand stand(plain(1));
  stand.hold("a", wish("anna", 50 * kMiB));
  stand.hold("b", wish("anna", 40 * kMiB));
  stand.hold("c", wish("bert", 30 * kMiB));
  stand.hold("d", wish("anna", 20 * kMiB));
  stand.hold("e", wish("carl", 60 * kMiB));
  CHECK(stand.is_seated("a"));
  auto settings = plain(1);
  settings.strategy = Strategy::smallest_first;
  stand.scheduler.change(settings, stand.now);
  stand.scheduler.check_invariants();
  CHECK(stand.is_seated("a"));
  CHECK(stand.scheduler.position(stand.ids.at("d")) == 1);
  CHECK(stand.scheduler.position(stand.ids.at("e")) == 4);
  stand.end("a");
  CHECK(stand.is_seated("d"));
  stand.scheduler.change(plain(1), stand.now);
  stand.scheduler.check_invariants();
  CHECK(order_of_all(stand) == "d b c e ");
}

TEST_CASE("more seats are filled by the next settle, fewer are waited for") {
  Stand stand(plain(2));
  for (const auto* client : {"a", "b", "c", "d", "e"}) stand.hold(client, wish(client, 10 * kMiB));
  CHECK(stand.scheduler.active() == 2);
  stand.scheduler.change(plain(4), stand.now);
  stand.run(500ms);
  CHECK(stand.scheduler.active() == 4);
  stand.scheduler.change(plain(1), stand.now);
  stand.run(1s);
  CHECK(stand.scheduler.active() == 4);
  stand.end("a");
  stand.end("b");
  stand.end("c");
  CHECK(stand.scheduler.active() == 1);
  CHECK_FALSE(stand.is_seated("e"));
  stand.end("d");
  CHECK(stand.is_seated("e"));
}

TEST_CASE("O3: new weights hold for what is given from now on; what was given counts as it did") {
  Stand stand(plain(1));
  stand.hold("z", wish("z", 10 * kMiB, DownloadClass::background));
  for (int i = 0; i < 6; ++i) {
    stand.hold("i" + std::to_string(i), wish("i", 10 * kMiB, DownloadClass::interactive));
    stand.hold("r" + std::to_string(i), wish("r", 10 * kMiB, DownloadClass::release));
  }
  auto settings = plain(1);
  settings.weights = {1, 1, 1, 1};
  stand.scheduler.change(settings, stand.now);
  stand.scheduler.check_invariants();
  CHECK(order_of_all(stand) == "z i0 r0 i1 r1 i2 r2 i3 r3 i4 r4 i5 r5 ");
}

TEST_CASE("a shorter idle time holds for seats that are idle already") {
  Stand stand(plain(1));
  stand.ask("a", wish("a", 100 * kMiB));
  stand.hold("b", wish("b", 10 * kMiB));
  stand.cut("a", kMiB);
  stand.run(10s);
  CHECK_FALSE(stand.is_seated("b"));
  auto settings = plain(1);
  settings.idle = 5s;
  stand.scheduler.change(settings, stand.now);
  stand.run(500ms);
  CHECK(stand.is_seated("b"));
}

TEST_CASE("O8: a share that comes into force lets others pass") {
  Stand stand(plain(2));
  stand.hold("a1", wish("anna", 10 * kMiB));
  stand.hold("a2", wish("anna", 10 * kMiB));
  stand.hold("a3", wish("anna", 10 * kMiB));
  stand.hold("b1", wish("bert", 10 * kMiB));
  stand.hold("b2", wish("bert", 10 * kMiB));
  auto settings = plain(2);
  settings.per_principal = 1;
  stand.scheduler.change(settings, stand.now);
  stand.scheduler.check_invariants();
  stand.end("a1");
  CHECK(stand.is_seated("b1"));
  stand.end("b1");
  CHECK(stand.is_seated("b2"));
}
