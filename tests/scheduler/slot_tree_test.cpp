// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/slot_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/base/rng.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

Slot slot(std::uint64_t round) { return {round, Instant(), 0}; }

}  // namespace

TEST_CASE("an empty line has no first and nobody ahead") {
  SlotTree tree;
  CHECK(tree.size() == 0);
  CHECK(tree.first() == SlotTree::kNone);
  CHECK(tree.at(0) == SlotTree::kNone);
  CHECK(tree.reach(100, true).count == 0);
}

TEST_CASE("slots are ordered by round, then by the ring") {
  SlotTree tree;
  tree.insert({1, Instant(), 0}, 3, 1);
  tree.insert({0, Instant(Duration(5)), 7}, 2, 1);
  tree.insert({0, Instant(Duration(5)), 2}, 1, 1);
  tree.insert({0, Instant(Duration(1)), 9}, 0, 1);
  SessionIndex expected = 0;
  for (auto node = tree.first(); node != SlotTree::kNone; node = tree.next(node)) CHECK(tree.owner(node) == expected++);
  CHECK(expected == 4);
}

TEST_CASE("a line of random joins and leaves answers as a plain sorted list does") {
  Rng rng(7);
  SlotTree tree;
  std::map<std::uint64_t, std::pair<SlotTree::Node, std::uint64_t>> model;  // round → node, bytes
  for (int step = 0; step < 4000; ++step) {
    const auto round = rng.below(300);
    const auto bytes = rng.below(1000);
    const auto known = model.find(round);
    if (known == model.end())
      model[round] = {tree.insert(slot(round), static_cast<SessionIndex>(round), bytes), bytes};
    else if (rng.chance(50)) {
      tree.erase(known->second.first);
      model.erase(known);
    } else {
      tree.put(known->second.first, bytes);
      known->second.second = bytes;
    }
    REQUIRE(tree.size() == model.size());
    if (step % 20 != 0) continue;

    const Wide limit = rng.below(400'000);
    std::size_t rank = 0;
    std::size_t below = 0;
    std::size_t up_to = 0;
    std::uint64_t before = 0;
    std::vector<std::uint64_t> sizes;
    for (const auto& [key, entry] : model) {
      const auto [node, size] = entry;
      REQUIRE(tree.before(node).count == rank);
      REQUIRE(tree.before(node).bytes == before);
      REQUIRE(tree.at(rank) == node);
      if (Wide{2} * before + size < limit) ++below;
      if (Wide{2} * before + size <= limit) ++up_to;
      before += size;
      ++rank;
      sizes.push_back(size);
    }
    REQUIRE(tree.bytes() == before);
    REQUIRE(tree.reach(limit, false).count == below);
    REQUIRE(tree.reach(limit, true).count == up_to);
    const auto count = rng.below(model.size() + 1);
    const auto most = rng.below(10);
    sizes.resize(count);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    sizes.resize(std::min<std::size_t>(sizes.size(), most));
    std::vector<std::uint64_t> largest;
    tree.largest(count, most, largest);
    REQUIRE(largest == sizes);
    if (count == model.size()) continue;
    std::vector<std::uint64_t> largest_before;
    tree.largest_before(tree.at(count), most, largest_before);
    REQUIRE(largest_before == sizes);
  }
}
