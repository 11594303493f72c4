// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/replay.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>

using namespace arkvory;
using namespace arkvory::server;
using namespace std::chrono_literals;

namespace {

// One letter a session: its principal in small letters, in capitals one of the class `interactive`. Each has 100 bytes
// at 100 bytes a second.
struct Case {
  std::string active;
  std::string waiting;
  std::size_t seats = 1;
  std::size_t reserve = 0;
  std::uint64_t per_principal = 0;
  BandwidthOrder order = BandwidthOrder::oldest_first;
  std::vector<std::uint64_t> sizes{};  // of both, in this order; none: 100 each
  std::shared_ptr<const ClassWindows> windows{};
  WallTime wall{};
  ClassTags::Weights weights{1, 1, 1, 1};
};

Replay replay(const Case& one) {
  Shares shares(one.per_principal);
  for (int i = 0; i < 26; ++i) shares.make();
  std::vector<Replay::Seated> all;
  for (const char letter : one.active + one.waiting) {
    const bool is_interactive = letter >= 'A' && letter <= 'Z';
    const auto principal = static_cast<PrincipalIndex>(letter - (is_interactive ? 'A' : 'a'));
    const auto index = static_cast<SessionIndex>(all.size());
    const auto name = is_interactive ? DownloadClass::interactive : DownloadClass::bulk;
    all.push_back({index, one.sizes.empty() ? 100 : one.sizes[index], name, name, principal, true});
    index < one.active.size() ? shares.add_seat(principal) : shares.add_waiting(principal);
  }
  const auto border = all.begin() + static_cast<std::ptrdiff_t>(one.active.size());
  Replay::Line line{{all.begin(), border},
                    {border, all.end()},
                    ClassTags(one.weights),
                    shares,
                    ClassGates(one.windows, Instant(), one.wall),
                    one.seats,
                    one.seats - one.reserve,
                    100,
                    one.order,
                    0};
  return Replay(std::move(line), Instant());
}

std::vector<Duration> starts(const Case& one) {
  const auto made = replay(one);
  std::vector<Duration> all;
  for (auto i = one.active.size(); i < one.active.size() + one.waiting.size(); ++i)
    all.push_back(made.start_of(static_cast<SessionIndex>(i)).value_or(StartEstimate{-1s, -1s, -1s}).point);
  return all;
}

using Starts = std::vector<Duration>;

}  // namespace

TEST_CASE("E1: under `oldest-first` files are served one after another, whatever the number of seats") {
  CHECK(starts({"a", "bcd", 1}) == Starts{1s, 2s, 3s});
  CHECK(starts({"ab", "cd", 2}) == Starts{1s, 2s});
  CHECK(starts({"", "abc", 2}) == Starts{0s, 0s, 1s});
}

TEST_CASE("E1: under `equal` the point is replayed over seats that share the rate") {
  const auto equal = BandwidthOrder::equal;
  // Two seats of 100 at 50 each end together; then two of 100 again.
  CHECK(starts({"ab", "c", 2, 0, 0, equal}) == Starts{2s});
  CHECK(starts({"ab", "cde", 2, 0, 0, equal}) == Starts{2s, 2s, 4s});
  // 50 and 100: the first ends at 1 s, its successor of 30 at 1.6 s.
  CHECK(starts({"ab", "cd", 2, 0, 0, equal, {50, 100, 30, 100}}) == Starts{1s, 1600ms});
}

TEST_CASE("E1, O5: nobody else gets the reserved seats, and those they are for do") {
  CHECK(starts({"a", "bB", 2, 1}) == Starts{1s, 0s});
  CHECK(starts({"aB", "bc", 2, 1}) == Starts{1s, 3s});  // a, B, b: each of them a second
  CHECK(starts({"", "ab", 2, 2}) == Starts{-1s, -1s});
}

TEST_CASE("E1, O8: who is below the share goes first, and beyond it one goes when nobody is") {
  CHECK(starts({"aa", "aab", 2, 0, 1}) == Starts{2s, 3s, 1s});
  CHECK(starts({"aa", "aa", 2, 0, 1}) == Starts{1s, 2s});
}

TEST_CASE("E1, O8, Exactly 4: who goes out of order puts the rest of its class back behind others") {
  // A and c are at their shares, A is the first by its tag. B goes before it in their class, which costs the class its
  // turn: c is next, and A when its principal holds nothing any more.
  CHECK(starts({"xyac", "ABc", 4, 0, 1}) == Starts{3s, 1s, 2s});
  // With twice the weight the class still has its turn.
  CHECK(starts({"xyac", "ABc", 4, 0, 1, BandwidthOrder::oldest_first, {}, {}, {}, {4, 1, 1, 1}}) == Starts{2s, 1s, 3s});
}

TEST_CASE("E1, W1: where windows leave the link idle that time is added, in point and interval") {
  Window night{{true, true, true, true, true, true, true}, 60min, 120min, "UTC", 0};
  ClassWindows::ByClass by_class;
  by_class[static_cast<std::size_t>(DownloadClass::bulk)] = {night};
  const auto windows = std::make_shared<const ClassWindows>(ClassWindows::make(by_class).value());
  const auto made = replay({"", "aBb", 1, 0, 0, BandwidthOrder::oldest_first, {}, windows, WallTime()});
  CHECK(made.start_of(1)->point == 0s);
  CHECK(made.start_of(0)->point == 1h);
  CHECK(made.start_of(2)->point == 1h + 1s);
  CHECK(made.start_of(2)->from <= 1h + 1s);
  CHECK(made.start_of(2)->to == 1h + 1s);  // B is sent while the window is closed
}

TEST_CASE("E1: the start lies in its interval, whatever is replayed") {
  const Case cases[]{{"abc", "defghi", 3, 0, 0, BandwidthOrder::oldest_first, {5, 90, 7, 10, 200, 3, 40, 5, 6}},
                     {"abc", "defghi", 3, 0, 0, BandwidthOrder::equal, {5, 90, 7, 10, 200, 3, 40, 5, 6}},
                     {"aAa", "aBbbCa", 3, 1, 2, BandwidthOrder::equal, {5, 90, 7, 10, 200, 3, 40, 5, 6}}};
  for (const auto& one : cases) {
    const auto made = replay(one);
    for (auto i = one.active.size(); i < one.active.size() + one.waiting.size(); ++i) {
      const auto start = made.start_of(static_cast<SessionIndex>(i));
      REQUIRE(start);
      CHECK(start->from <= start->point);
      CHECK(start->point <= start->to);
    }
  }
}
