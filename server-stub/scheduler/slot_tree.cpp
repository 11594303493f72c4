// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/slot_tree.h"

#include <algorithm>
#include <queue>

#include "core/base/ensure.h"
#include "core/base/rng.h"

namespace arkvory::server {

SlotTree::Node SlotTree::insert(const Slot& slot, SessionIndex session, std::uint64_t bytes) {
  Node node;
  if (free_.empty()) {
    node = static_cast<Node>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  auto& entry = nodes_[node];
  entry = Entry{};
  entry.slot = slot;
  entry.session = session;
  entry.bytes = bytes;
  entry.priority = static_cast<std::uint32_t>(Rng(node).next());
  Node parent = kNone;
  for (Node at = root_; at != kNone;) {
    parent = at;
    ensure(nodes_[at].slot != slot, "a slot has one session");
    at = slot < nodes_[at].slot ? nodes_[at].left : nodes_[at].right;
  }
  entry.parent = parent;
  if (parent == kNone)
    root_ = node;
  else if (slot < nodes_[parent].slot)
    nodes_[parent].left = node;
  else
    nodes_[parent].right = node;
  refresh_upwards(node);
  while (nodes_[node].parent != kNone && nodes_[nodes_[node].parent].priority < nodes_[node].priority) rotate_up(node);
  return node;
}

void SlotTree::erase(Node node) {
  auto& entry = nodes_[node];
  while (entry.left != kNone && entry.right != kNone)
    rotate_up(nodes_[entry.left].priority > nodes_[entry.right].priority ? entry.left : entry.right);
  const Node child = entry.left != kNone ? entry.left : entry.right;
  const Node parent = entry.parent;
  replace_in_parent(node, child);
  if (parent != kNone) refresh_upwards(parent);
  free_.push_back(node);
}

void SlotTree::put(Node node, SessionIndex session, std::uint64_t bytes) {
  nodes_[node].session = session;
  if (nodes_[node].bytes == bytes) return;
  nodes_[node].bytes = bytes;
  refresh_upwards(node);
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

SlotTree::Node SlotTree::at(std::size_t rank) const {
  Node node = root_;
  while (node != kNone) {
    const auto& entry = nodes_[node];
    const std::size_t left = entry.left == kNone ? 0 : nodes_[entry.left].count;
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
  Prefix prefix;
  const auto add = [&](Node subtree) {
    if (subtree == kNone) return;
    prefix.count += nodes_[subtree].count;
    prefix.bytes += nodes_[subtree].sum;
  };
  add(nodes_[node].left);
  for (Node parent = nodes_[node].parent; parent != kNone; node = parent, parent = nodes_[node].parent) {
    if (nodes_[parent].right != node) continue;
    add(nodes_[parent].left);
    prefix.count += 1;
    prefix.bytes += nodes_[parent].bytes;
  }
  return prefix;
}

SlotTree::Prefix SlotTree::reach(Wide limit, bool inclusive) const {
  Prefix prefix;
  Node node = root_;
  while (node != kNone) {
    const auto& entry = nodes_[node];
    const std::size_t left_count = entry.left == kNone ? 0 : nodes_[entry.left].count;
    const std::uint64_t left_bytes = entry.left == kNone ? 0 : nodes_[entry.left].sum;
    const Wide middle = 2 * static_cast<Wide>(prefix.bytes + left_bytes) + entry.bytes;
    if (middle < limit || (inclusive && middle == limit)) {
      prefix.count += left_count + 1;
      prefix.bytes += left_bytes + entry.bytes;
      node = entry.right;
    } else {
      node = entry.left;
    }
  }
  return prefix;
}

void SlotTree::largest(std::size_t count, std::size_t most, std::vector<std::uint64_t>& into) const {
  // Subtrees by their largest size, single nodes by their own: what comes out first is the largest of all that is left.
  struct Part {
    std::uint64_t size;
    Node node;
    bool is_subtree;
    bool operator<(const Part& other) const { return size < other.size; }
  };
  std::priority_queue<Part> parts;
  const auto add_node = [&](Node node) { parts.push({nodes_[node].bytes, node, false}); };
  const auto add_subtree = [&](Node node) {
    if (node != kNone) parts.push({nodes_[node].max, node, true});
  };
  for (Node node = root_; node != kNone && count > 0;) {
    const auto& entry = nodes_[node];
    const std::size_t left = entry.left == kNone ? 0 : nodes_[entry.left].count;
    if (count <= left) {
      node = entry.left;
      continue;
    }
    add_subtree(entry.left);
    add_node(node);
    count -= left + 1;
    node = entry.right;
  }
  while (most > 0 && !parts.empty()) {
    const auto part = parts.top();
    parts.pop();
    if (part.is_subtree) {
      add_subtree(nodes_[part.node].left);
      add_node(part.node);
      add_subtree(nodes_[part.node].right);
      continue;
    }
    into.push_back(part.size);
    --most;
  }
}

void SlotTree::refresh(Node node) {
  auto& entry = nodes_[node];
  entry.count = 1;
  entry.sum = entry.max = entry.bytes;
  for (const Node child : {entry.left, entry.right}) {
    if (child == kNone) continue;
    entry.count += nodes_[child].count;
    entry.sum += nodes_[child].sum;
    entry.max = std::max(entry.max, nodes_[child].max);
  }
}

void SlotTree::refresh_upwards(Node node) {
  for (; node != kNone; node = nodes_[node].parent) refresh(node);
}

void SlotTree::rotate_up(Node node) {
  const Node parent = nodes_[node].parent;
  const bool is_left = nodes_[parent].left == node;
  const Node moved = is_left ? nodes_[node].right : nodes_[node].left;
  replace_in_parent(parent, node);
  (is_left ? nodes_[parent].left : nodes_[parent].right) = moved;
  if (moved != kNone) nodes_[moved].parent = parent;
  (is_left ? nodes_[node].right : nodes_[node].left) = parent;
  nodes_[parent].parent = node;
  refresh(parent);
  refresh(node);
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
