// SPDX-License-Identifier: Apache-2.0
// The line of one class: slots in order, each with the bytes of the session that has it. Rank, prefix bytes and "how
// far do so many bytes reach" take O(log n).
//
// A treap in one pool with 32-bit indices: 56 bytes a slot, no allocation once the pool has grown. Priorities come from
// the node's index by a fixed mixing, so that the same calls build the same tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/clock.h"
#include "core/base/wide.h"

namespace arkvory::server {

using SessionIndex = std::uint32_t;

// A place in a class's line (Exactly 3): a round, and a place in the ring of principals, which is the arrival and
// number of the session by which the principal began to wait.
struct Slot {
  std::uint64_t round = 0;
  Instant ring_arrival{};
  std::uint32_t ring_number = 0;
  friend auto operator<=>(const Slot&, const Slot&) = default;
};

class SlotTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = UINT32_MAX;

  struct Prefix {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };

  // Requires that no equal slot is in the tree. `owner`: the caller's, as it is.
  Node insert(const Slot& slot, std::uint32_t owner, std::uint64_t bytes);
  void erase(Node node);
  // Another number of bytes in the same slot.
  void put(Node node, std::uint64_t bytes);

  std::size_t size() const { return root_ == kNone ? 0 : nodes_[root_].count; }
  std::uint64_t bytes() const { return root_ == kNone ? 0 : nodes_[root_].sum; }
  std::uint32_t owner(Node node) const { return nodes_[node].owner; }
  std::uint64_t bytes_of(Node node) const {
    const auto& entry = nodes_[node];
    return entry.sum - sum(entry.left) - sum(entry.right);
  }
  Slot slot(Node node) const {
    const auto& entry = nodes_[node];
    return {entry.round, entry.ring_arrival, entry.ring_number};
  }

  Node first() const;
  Node next(Node node) const;       // kNone behind the last
  Node previous(Node node) const;   // kNone before the first
  Node at(std::size_t rank) const;  // kNone where there are not so many
  // What stands before a node.
  Prefix before(Node node) const;
  // The nodes with twice the bytes before them plus their own below `limit`, or equal to it where `inclusive`: those
  // whose tag is so small (O3). They are a prefix of the line.
  Prefix reach(Wide limit, bool inclusive) const;
  // The sizes of the `most` largest among the first `count`, or among those before a node, largest first, appended to
  // `into`. O(most log n).
  void largest(std::size_t count, std::size_t most, std::vector<std::uint64_t>& into) const;
  void largest_before(Node node, std::size_t most, std::vector<std::uint64_t>& into) const;

 private:
  struct Entry {
    std::uint64_t round = 0;  // this and the next two: its slot
    Instant ring_arrival{};
    std::uint32_t ring_number = 0;
    std::uint32_t count = 0;  // of the subtree, as the next two
    std::uint64_t sum = 0;
    std::uint64_t max = 0;
    std::uint32_t owner = 0;
    Node left = kNone;
    Node right = kNone;
    Node parent = kNone;
  };

  // Of the tree, as `largest` looks at it: a subtree by its largest size, a single node by its own.
  struct Part {
    std::uint64_t size;
    Node node;
    bool is_subtree;
    // Of equals a node comes first, so that each subtree that is opened brings one.
    bool operator<(const Part& other) const {
      return size != other.size ? size < other.size : is_subtree && !other.is_subtree;
    }
  };
  void add_node(Node node, std::vector<Part>& parts) const { parts.push_back({bytes_of(node), node, false}); }
  void add_subtree(Node node, std::vector<Part>& parts) const {
    if (node != kNone) parts.push_back({nodes_[node].max, node, true});
  }
  void largest_of(std::vector<Part>& parts, std::size_t most, std::vector<std::uint64_t>& into) const;

  static std::uint32_t priority(Node node);
  std::uint64_t sum(Node node) const { return node == kNone ? 0 : nodes_[node].sum; }
  std::size_t count(Node node) const { return node == kNone ? 0 : nodes_[node].count; }
  void refresh(Node node, std::uint64_t bytes);
  void refresh_max_upwards(Node node);
  void rotate_up(Node node);
  void replace_in_parent(Node node, Node by);

  std::vector<Entry> nodes_;
  std::vector<Node> free_;
  Node root_ = kNone;
};

}  // namespace arkvory::server
