// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/slot_tree.h"

#include <algorithm>

#include "core/base/ensure.h"
#include "core/base/rng.h"
#include "server-stub/scheduler/pool.h"

namespace arkvory::server {

// By index, so that it needs no place of its own.
std::uint32_t SlotTree::priority(Node node) { return static_cast<std::uint32_t>(Rng(node).next()); }

SlotTree::Node SlotTree::insert(const Slot& slot, std::uint32_t owner, std::uint64_t bytes) {
  Node node;
  if (free_.empty()) {
    node = static_cast<Node>(nodes_.size());
    grow_to_hold(nodes_, node);
  } else {
    node = free_.back();
    free_.pop_back();
  }
  auto& entry = nodes_[node];
  entry = Entry{};
  entry.round = slot.round;
  entry.ring_arrival = slot.ring_arrival;
  entry.ring_number = slot.ring_number;
  entry.owner = owner;
  entry.sum = entry.max = bytes;
  entry.count = 1;
  Node parent = kNone;
  for (Node at = root_; at != kNone;) {
    parent = at;
    auto& above = nodes_[at];
    const auto other = this->slot(at);
    ensure(other != slot, "a slot has one owner");
    above.sum += bytes;
    above.count += 1;
    above.max = std::max(above.max, bytes);
    at = slot < other ? above.left : above.right;
  }
  entry.parent = parent;
  if (parent == kNone)
    root_ = node;
  else if (slot < this->slot(parent))
    nodes_[parent].left = node;
  else
    nodes_[parent].right = node;
  const auto own = priority(node);
  while (nodes_[node].parent != kNone && priority(nodes_[node].parent) < own) rotate_up(node);
  return node;
}

void SlotTree::erase(Node node) {
  auto& entry = nodes_[node];
  while (entry.left != kNone && entry.right != kNone)
    rotate_up(priority(entry.left) > priority(entry.right) ? entry.left : entry.right);
  const Node child = entry.left != kNone ? entry.left : entry.right;
  const Node parent = entry.parent;
  const auto bytes = bytes_of(node);
  replace_in_parent(node, child);
  for (Node above = parent; above != kNone; above = nodes_[above].parent) {
    nodes_[above].sum -= bytes;
    nodes_[above].count -= 1;
  }
  refresh_max_upwards(parent);
  free_.push_back(node);
}

void SlotTree::put(Node node, std::uint64_t bytes) {
  const auto before = bytes_of(node);
  if (before == bytes) return;
  for (Node at = node; at != kNone; at = nodes_[at].parent) nodes_[at].sum += bytes - before;
  refresh_max_upwards(node);
}

SlotTree::Node SlotTree::first() const {
  Node node = root_;
  while (node != kNone && nodes_[node].left != kNone) node = nodes_[node].left;
  return node;
}

SlotTree::Node SlotTree::next(Node node) const {
  if (nodes_[node].right != kNone) {
    node = nodes_[node].right;
    while (nodes_[node].left != kNone) node = nodes_[node].left;
    return node;
  }
  while (nodes_[node].parent != kNone && nodes_[nodes_[node].parent].right == node) node = nodes_[node].parent;
  return nodes_[node].parent;
}

SlotTree::Node SlotTree::previous(Node node) const {
  if (nodes_[node].left != kNone) {
    node = nodes_[node].left;
    while (nodes_[node].right != kNone) node = nodes_[node].right;
    return node;
  }
  while (nodes_[node].parent != kNone && nodes_[nodes_[node].parent].left == node) node = nodes_[node].parent;
  return nodes_[node].parent;
}

SlotTree::Node SlotTree::at(std::size_t rank) const {
  Node node = root_;
  while (node != kNone) {
    const auto& entry = nodes_[node];
    const auto left = count(entry.left);
    if (rank == left) return node;
    if (rank < left) {
      node = entry.left;
    } else {
      rank -= left + 1;
      node = entry.right;
    }
  }
  return kNone;
}

SlotTree::Prefix SlotTree::before(Node node) const {
  Prefix prefix{count(nodes_[node].left), sum(nodes_[node].left)};
  for (Node parent = nodes_[node].parent; parent != kNone; node = parent, parent = nodes_[node].parent) {
    const auto& above = nodes_[parent];
    if (above.right != node) continue;
    prefix.count += above.count - nodes_[node].count;
    prefix.bytes += above.sum - nodes_[node].sum;
  }
  return prefix;
}

SlotTree::Prefix SlotTree::reach(Wide limit, bool inclusive) const {
  Prefix prefix;
  Node node = root_;
  while (node != kNone) {
    const auto& entry = nodes_[node];
    const auto left_bytes = sum(entry.left);
    const auto own = bytes_of(node);
    const Wide middle = 2 * static_cast<Wide>(prefix.bytes + left_bytes) + own;
    if (middle < limit || (inclusive && middle == limit)) {
      prefix.count += count(entry.left) + 1;
      prefix.bytes += left_bytes + own;
      node = entry.right;
    } else {
      node = entry.left;
    }
  }
  return prefix;
}

void SlotTree::largest(std::size_t nodes, std::size_t most, std::vector<std::uint64_t>& into) const {
  if (nodes == 0) return;
  std::vector<Part> parts;
  parts.reserve(64 + 2 * most);
  for (Node node = root_; node != kNone && nodes > 0;) {
    const auto& entry = nodes_[node];
    const auto left = count(entry.left);
    if (nodes <= left) {
      node = entry.left;
      continue;
    }
    add_subtree(entry.left, parts);
    add_node(node, parts);
    nodes -= left + 1;
    node = entry.right;
  }
  largest_of(parts, most, into);
}

void SlotTree::largest_before(Node node, std::size_t most, std::vector<std::uint64_t>& into) const {
  std::vector<Part> parts;
  parts.reserve(64 + 2 * most);
  add_subtree(nodes_[node].left, parts);
  for (Node parent = nodes_[node].parent; parent != kNone; node = parent, parent = nodes_[node].parent) {
    if (nodes_[parent].right != node) continue;
    add_node(parent, parts);
    add_subtree(nodes_[parent].left, parts);
  }
  largest_of(parts, most, into);
}

// What comes out first is the largest of all that is left.
void SlotTree::largest_of(std::vector<Part>& parts, std::size_t most, std::vector<std::uint64_t>& into) const {
  std::make_heap(parts.begin(), parts.end());
  while (most > 0 && !parts.empty()) {
    std::pop_heap(parts.begin(), parts.end());
    const auto part = parts.back();
    parts.pop_back();
    if (!part.is_subtree) {
      into.push_back(part.size);
      --most;
      continue;
    }
    const auto push = [&](auto add, Node node) {
      const auto before = parts.size();
      (this->*add)(node, parts);
      if (parts.size() > before) std::push_heap(parts.begin(), parts.end());
    };
    push(&SlotTree::add_subtree, nodes_[part.node].left);
    push(&SlotTree::add_node, part.node);
    push(&SlotTree::add_subtree, nodes_[part.node].right);
  }
}

void SlotTree::refresh(Node node, std::uint64_t bytes) {
  auto& entry = nodes_[node];
  entry.count = static_cast<std::uint32_t>(1 + count(entry.left) + count(entry.right));
  entry.sum = bytes + sum(entry.left) + sum(entry.right);
  entry.max = bytes;
  for (const Node child : {entry.left, entry.right})
    if (child != kNone) entry.max = std::max(entry.max, nodes_[child].max);
}

void SlotTree::refresh_max_upwards(Node node) {
  for (; node != kNone; node = nodes_[node].parent) {
    auto& entry = nodes_[node];
    auto max = bytes_of(node);
    for (const Node child : {entry.left, entry.right})
      if (child != kNone) max = std::max(max, nodes_[child].max);
    if (max == entry.max) return;
    entry.max = max;
  }
}

void SlotTree::rotate_up(Node node) {
  const Node parent = nodes_[node].parent;
  const auto bytes = bytes_of(node);
  const auto bytes_above = bytes_of(parent);
  const bool is_left = nodes_[parent].left == node;
  const Node moved = is_left ? nodes_[node].right : nodes_[node].left;
  replace_in_parent(parent, node);
  (is_left ? nodes_[parent].left : nodes_[parent].right) = moved;
  if (moved != kNone) nodes_[moved].parent = parent;
  (is_left ? nodes_[node].right : nodes_[node].left) = parent;
  nodes_[parent].parent = node;
  refresh(parent, bytes_above);
  refresh(node, bytes);
}

void SlotTree::replace_in_parent(Node node, Node by) {
  const Node parent = nodes_[node].parent;
  if (by != kNone) nodes_[by].parent = parent;
  if (parent == kNone)
    root_ = by;
  else if (nodes_[parent].left == node)
    nodes_[parent].left = by;
  else
    nodes_[parent].right = by;
}

}  // namespace arkvory::server
