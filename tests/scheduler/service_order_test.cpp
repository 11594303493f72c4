// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/service_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/rng.h"
#include "server-stub/scheduler/settings.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr ServiceOrder::Weights kWeights{8, 4, 2, 1};
constexpr auto kBulk = DownloadClass::bulk;

Instant at_ms(std::int64_t count) { return Instant(std::chrono::milliseconds(count)); }

std::vector<SessionIndex> line_of(const ServiceOrder& order) {
  std::vector<SessionIndex> line;
  for (auto walk = order.walk(); !walk.has_ended(); walk.next()) line.push_back(walk.session());
  return line;
}

// Serves the whole line one by one.
std::vector<SessionIndex> served(ServiceOrder order) {
  std::vector<SessionIndex> out;
  while (order.size() > 0) {
    out.push_back(order.walk().session());
    order.grant(out.back());
  }
  return out;
}

// The rules of Exactly 2 and 3 written down as plainly as possible: everything is computed from scratch.
class PlainOrder {
 public:
  void join(SessionIndex session, const Waiter& waiter) {
    auto& line = lines_[static_cast<std::size_t>(waiter.download_class)];
    const bool was_empty = std::none_of(line.principals.begin(), line.principals.end(),
                                        [](const auto& one) { return !one.second.sessions.empty(); });
    if (was_empty) line.given = std::max(line.given, greatest_);
    auto& principal = line.principals[waiter.principal];
    if (principal.sessions.empty()) {
      principal.base = std::max(line.round, principal.last_granted + 1);
      principal.ring = {waiter.arrival, waiter.number};
    }
    principal.sessions[{waiter.arrival, waiter.number}] = session;
    waiters_[session] = waiter;
  }
  void leave(SessionIndex session) {
    const auto& waiter = waiters_.at(session);
    principal_of(waiter).sessions.erase({waiter.arrival, waiter.number});
    waiters_.erase(session);
  }
  void grant(SessionIndex session) {
    for (const auto& entry : entries())
      if (entry.session == session) greatest_ = std::max(greatest_, entry.tag);
    const auto waiter = waiters_.at(session);
    auto& line = lines_[static_cast<std::size_t>(waiter.download_class)];
    auto& principal = principal_of(waiter);
    line.given += Tag{2} * waiter.bytes * scale(waiter.download_class);
    principal.last_granted = static_cast<std::int64_t>(principal.base);
    line.round = std::max(line.round, principal.last_granted);
    ++principal.base;
    leave(session);
  }
  void give_back(DownloadClass name, std::uint64_t bytes) {
    lines_[static_cast<std::size_t>(name)].given -= Tag{2} * bytes * scale(name);
  }
  void resize(SessionIndex session, std::uint64_t bytes) { waiters_.at(session).bytes = bytes; }

  std::vector<SessionIndex> line() const {
    std::vector<SessionIndex> out;
    for (const auto& entry : entries()) out.push_back(entry.session);
    return out;
  }

 private:
  __extension__ typedef __int128 Tag;
  struct Principal {
    std::int64_t base = 0;
    std::int64_t last_granted = -1;
    std::pair<Instant, std::uint64_t> ring;
    std::map<std::pair<Instant, std::uint64_t>, SessionIndex> sessions;
  };
  struct Line {
    std::map<PrincipalIndex, Principal> principals;
    std::int64_t round = 0;
    Tag given = 0;
  };
  struct Entry {
    Tag tag;
    std::size_t of_class;
    std::size_t rank;
    SessionIndex session;
  };

  static Tag scale(DownloadClass name) { return Tag{64} / static_cast<Tag>(kWeights[static_cast<std::size_t>(name)]); }
  Principal& principal_of(const Waiter& waiter) {
    return lines_[static_cast<std::size_t>(waiter.download_class)].principals.at(waiter.principal);
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < kClasses; ++i) {
      std::map<std::tuple<std::int64_t, Instant, std::uint64_t>, SessionIndex> slots;
      for (const auto& [index, principal] : lines_[i].principals) {
        auto round = principal.base;
        for (const auto& [place, session] : principal.sessions)
          slots[{round++, principal.ring.first, principal.ring.second}] = session;
      }
      Tag ahead = 0;
      std::size_t rank = 0;
      for (const auto& [slot, session] : slots) {
        const Tag bytes = waiters_.at(session).bytes;
        all.push_back(
            {lines_[i].given + (2 * ahead + bytes) * scale(static_cast<DownloadClass>(i)), i, rank++, session});
        ahead += bytes;
      }
    }
    std::sort(all.begin(), all.end(), [](const Entry& left, const Entry& right) {
      return std::tie(left.tag, left.of_class, left.rank) < std::tie(right.tag, right.of_class, right.rank);
    });
    return all;
  }

  std::array<Line, kClasses> lines_;
  std::map<SessionIndex, Waiter> waiters_;
  Tag greatest_ = 0;
};

}  // namespace

TEST_CASE("O7: one principal's sessions are served by arrival, then by number") {
  ServiceOrder order(kWeights);
  order.join(0, {kBulk, 1, at_ms(20), 0, 10});
  order.join(1, {kBulk, 1, at_ms(10), 2, 10});
  order.join(2, {kBulk, 1, at_ms(10), 1, 10});
  CHECK(line_of(order) == std::vector<SessionIndex>{2, 1, 0});
}

TEST_CASE("O1: principals take turns, whoever has many waiting") {
  ServiceOrder order(kWeights);
  for (SessionIndex i = 0; i < 4; ++i) order.join(i, {kBulk, 1, at_ms(i), i, 10});
  order.join(4, {kBulk, 2, at_ms(4), 4, 10});
  order.join(5, {kBulk, 3, at_ms(5), 5, 10});
  order.join(6, {kBulk, 3, at_ms(6), 6, 10});
  CHECK(served(order) == std::vector<SessionIndex>{0, 4, 5, 1, 6, 2, 3});
}

TEST_CASE("O1: a principal that has had its turn in this round joins behind the round") {
  ServiceOrder order(kWeights);
  order.join(0, {kBulk, 1, at_ms(0), 0, 10});
  order.join(1, {kBulk, 2, at_ms(1), 1, 10});
  order.grant(0);
  order.join(2, {kBulk, 1, at_ms(2), 2, 10});
  order.join(3, {kBulk, 3, at_ms(3), 3, 10});
  CHECK(served(order) == std::vector<SessionIndex>{1, 3, 2});
}

TEST_CASE("O3: with equal files and all classes waiting the order is I R I B I R I G I R I B I R I") {
  ServiceOrder order(kWeights);
  SessionIndex next = 0;
  std::map<SessionIndex, char> letter;
  for (std::size_t name = 0; name < kClasses; ++name)
    for (int i = 0; i < 8; ++i) {
      letter[next] = "IRBG"[name];
      order.join(next, {static_cast<DownloadClass>(name), 1, at_ms(next), next, 1000});
      ++next;
    }
  std::string letters;
  for (const auto session : served(order)) letters += letter[session];
  CHECK(letters.substr(0, 15) == "IRIBIRIGIRIBIRI");
}

TEST_CASE("O3: a class that was empty banks no credit") {
  ServiceOrder order(kWeights);
  for (SessionIndex i = 0; i < 100; ++i) order.join(i, {DownloadClass::background, 1, at_ms(i), i, 1000});
  for (SessionIndex i = 0; i < 50; ++i) order.grant(i);
  for (SessionIndex i = 100; i < 120; ++i) order.join(i, {DownloadClass::interactive, 2, at_ms(i), i, 1000});
  const auto line = served(order);
  // Eight bytes to one, from now on: not twenty at once.
  const auto background = std::count_if(line.begin(), line.begin() + 18, [](SessionIndex i) { return i < 100; });
  CHECK(background == 2);
}

TEST_CASE("O3: what was not delivered is given back to the class") {
  ServiceOrder order(kWeights);
  order.join(0, {DownloadClass::interactive, 1, at_ms(0), 0, 1'000'000});
  order.join(1, {DownloadClass::release, 2, at_ms(1), 1, 1000});
  order.join(2, {DownloadClass::interactive, 3, at_ms(2), 2, 1000});
  order.grant(0);
  CHECK(line_of(order) == std::vector<SessionIndex>{1, 2});
  order.give_back(DownloadClass::interactive, 1'000'000);
  CHECK(line_of(order) == std::vector<SessionIndex>{2, 1});
}

TEST_CASE("O4: positions, bytes ahead and the line agree with the rules written plainly, whatever happened before") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    ServiceOrder order(kWeights);
    PlainOrder plain;
    std::map<SessionIndex, std::uint64_t> sizes;
    SessionIndex next = 0;
    for (int step = 0; step < 200; ++step) {
      const auto line = plain.line();
      const auto kind = rng.below(10);
      if (line.empty() || kind < 5) {
        const Waiter waiter{static_cast<DownloadClass>(rng.below(kClasses)), static_cast<PrincipalIndex>(rng.below(4)),
                            at_ms(static_cast<std::int64_t>(rng.below(500))), next, rng.below(50) * 7};
        order.join(next, waiter);
        plain.join(next, waiter);
        sizes[next++] = waiter.bytes;
      } else {
        const auto session = line[kind < 7 ? 0 : rng.below(line.size())];
        if (kind == 9) {
          sizes[session] = rng.below(500);
          order.resize(session, sizes[session]);
          plain.resize(session, sizes[session]);
        } else if (kind == 8) {
          std::vector<SessionIndex> gone{session};
          for (const auto other : line)
            if (other != session && rng.chance(10)) gone.push_back(other);
          order.leave(gone);
          for (const auto one : gone) plain.leave(one);
        } else {
          order.grant(session);
          plain.grant(session);
        }
      }
      const auto now = plain.line();
      REQUIRE(line_of(order) == now);
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < now.size(); ++i) {
        REQUIRE(order.ahead_of(now[i]).sessions == i);
        REQUIRE(order.ahead_of(now[i]).bytes == bytes);
        const auto most = rng.below(5);
        const auto begin = i - std::min<std::size_t>(i, most);
        std::uint64_t just = 0;
        for (auto j = begin; j < i; ++j) just += sizes[now[j]];
        std::vector<std::uint64_t> largest;
        const auto outlook = order.outlook(now[i], most, largest);
        REQUIRE(outlook.ahead.sessions == i);
        REQUIRE(outlook.ahead.bytes == bytes);
        REQUIRE(outlook.just_ahead.sessions == i - begin);
        REQUIRE(outlook.just_ahead.bytes == just);
        std::vector<std::uint64_t> ahead;
        for (std::size_t j = 0; j < i; ++j) ahead.push_back(sizes[now[j]]);
        std::sort(ahead.begin(), ahead.end(), std::greater<>());
        ahead.resize(std::min<std::size_t>(ahead.size(), most));
        std::sort(largest.begin(), largest.end(), std::greater<>());
        REQUIRE(largest == ahead);
        bytes += sizes[now[i]];
      }
    }
  }
}
