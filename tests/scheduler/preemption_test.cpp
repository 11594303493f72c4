// SPDX-License-Identifier: Apache-2.0
// O9 over a long time: seats change hands, and never back and forth.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/rng.h"
#include "tests/scheduler/stand.h"
#include "tests/support/search.h"

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kRange = 8 * kMiB;
constexpr std::size_t kClients = 24;

// Downloads that come, fetch range after range, break off, stay away and are followed by others, as chance will have
// it.
class Crowd {
 public:
  Crowd(std::uint64_t seed, bool has_shares) : rng_(seed), stand_(settings(rng_, has_shares)), has_shares_(has_shares) {
    for (std::size_t i = 0; i < kClients; ++i) begin(i);
  }

  void step() {
    const auto seen = stand_.changes.size();
    if (rng_.chance(15)) {
      stand_.run(rng_.up_to(20s));
    } else {
      act(rng_.below(kClients));
    }
    look_at(seen);
  }

  std::size_t evictions() const { return evictions_; }

 private:
  struct Client {
    std::string name;
    Wish wish;
    std::uint64_t sent = 0;
    bool is_held = false;  // and waits
  };

  // Of a session: who was dropped and comes again has another.
  using Number = std::pair<std::uint32_t, std::uint32_t>;
  static Number number(SessionId id) { return {id.index, id.generation}; }

  static SchedulerSettings settings(Rng& rng, bool has_shares) {
    SchedulerSettings settings;
    settings.sessions = 2 + rng.below(6);
    settings.per_principal = has_shares ? 1 + rng.below(3) : 0;
    settings.aging = rng.chance(50) ? Duration(0) : Duration(2min);
    settings.bandwidth = 10 * kMiB;
    return settings;
  }

  void begin(std::size_t index) {
    auto& client = clients_[index];
    client = {};
    client.name = "c" + std::to_string(index) + "-" + std::to_string(next_++);
    client.wish.principal = "p" + std::to_string(rng_.below(5));
    client.wish.download_class = static_cast<DownloadClass>(rng_.below(4));
    client.wish.size = (1 + rng_.below(60)) * kRange;
  }

  void act(std::size_t index) {
    auto& client = clients_[index];
    if (rng_.chance(1)) {
      stand_.seats.erase(client.name);
      has_seat_ended_ = stand_.cancel(client.name);
      return begin(index);
    }
    if (!stand_.is_seated(client.name)) {
      client.wish.wanted = ByteRange(client.sent, client.sent + kRange);
      if (client.is_held) return;
      client.is_held = !has_seat(client) && rng_.chance(70);
      if (client.is_held)
        stand_.hold(client.name, client.wish);
      else
        stand_.ask(client.name, client.wish);
    } else if (rng_.chance(3)) {
      stand_.cut(client.name, kMiB);
    } else {
      client.sent += kRange;
      stand_.end(client.name);
      if (client.sent < client.wish.size) return;
      has_seat_ended_ = true;
      begin(index);
    }
  }

  Client& client(const std::string& name) {
    return *std::find_if(clients_.begin(), clients_.end(), [&](const Client& one) { return one.name == name; });
  }

  // Also between two ranges.
  bool has_seat(const Client& client) const {
    const auto known = stand_.ids.find(client.name);
    return known != stand_.ids.end() && stand_.scheduler.is_live(known->second) &&
           stand_.scheduler.state(known->second) == SessionState::active;
  }

  const std::string* name_of(SessionId id) const {
    for (const auto& client : clients_) {
      const auto known = stand_.ids.find(client.name);
      if (known != stand_.ids.end() && known->second == id) return &client.name;
    }
    return nullptr;
  }

  // Of what happened: who had to go for whom. With shares that is forgotten when a seat ends otherwise: then another
  // may have become the one with too many.
  void look_at(std::size_t seen) {
    for (auto i = seen; i < stand_.changes.size(); ++i) {
      const auto& change = stand_.changes[i];
      if (change.kind == Change::Kind::seat_lost) has_seat_ended_ = true;
      const auto* name = name_of(change.session);
      if (name == nullptr) continue;
      if (change.kind == Change::Kind::granted) client(*name).is_held = false;
      if (change.kind != Change::Kind::yielded) continue;
      const auto loser = number(change.session);
      REQUIRE(++yields_[loser] <= 2);
      ++evictions_;
      // Where the one it goes for is present, that one has the seat next.
      if (i + 1 == stand_.changes.size() || stand_.changes[i + 1].kind != Change::Kind::granted) continue;
      const auto winner = number(stand_.changes[i + 1].session);
      gone_for_.emplace(loser, winner);
      CHECK_MESSAGE(gone_for_.count({winner, loser}) == 0, "two evict each other, one is ", *name);
    }
    if (std::exchange(has_seat_ended_, false) && has_shares_) gone_for_.clear();
  }

  Rng rng_;
  Stand stand_;
  std::array<Client, kClients> clients_;
  std::uint64_t next_ = 1;
  std::map<Number, int> yields_;
  bool has_seat_ended_ = false;  // otherwise than by a yield, in this step
  bool has_shares_ = false;
  std::set<std::pair<Number, Number>> gone_for_;  // who had to go, and for whom
  std::size_t evictions_ = 0;
};

}  // namespace

TEST_CASE("O9: in a hundred thousand steps no two sessions evict each other, and none yields more than twice") {
  for (const bool has_shares : {false, true}) {
    std::size_t evictions = 0;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      CAPTURE(seed);
      CAPTURE(has_shares);
      Crowd crowd(seed, has_shares);
      for (std::uint64_t step = 0; step < 100'000 / test::kStride; ++step) crowd.step();
      evictions += crowd.evictions();
    }
    CHECK(evictions > 1000 / test::kStride);
  }
}
