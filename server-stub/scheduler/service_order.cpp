// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/service_order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/ensure.h"
#include "server-stub/scheduler/pool.h"

namespace arkvory::server {

ServiceOrder::ServiceOrder(const Weights& weights, Strategy strategy)
    : tags_(weights), is_smallest_first_(strategy == Strategy::smallest_first) {}

void ServiceOrder::change(const Weights& weights, Strategy strategy, const std::vector<Waiter>& waiters) {
  tags_.change(weights);
  is_smallest_first_ = strategy == Strategy::smallest_first;
  for (auto& line : lines_) {
    line.tree = SlotTree();
    line.turns.clear();
    line.granted_this_round.clear();
  }
  turns_.clear();
  unused_turns_.clear();
  std::vector<std::pair<SessionIndex, Waiter>> all;
  for (SessionIndex index = 0; index < places_.size(); ++index)
    if (std::exchange(places_[index].turn, kNoTurn) != kNoTurn) all.emplace_back(index, waiters[index]);
  // As they came, so that the ring of principals is in their order.
  std::sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return std::tie(left.second.arrival, left.second.number) < std::tie(right.second.arrival, right.second.number);
  });
  for (const auto& [index, waiter] : all) stand(index, waiter);  // nobody left, so no class was empty
}

std::size_t ServiceOrder::size() const {
  std::size_t sum = 0;
  for (const auto& line : lines_) sum += line.tree.size();
  return sum;
}

// --- Joining and leaving --------------------------------------------------------------------------------------------

ServiceOrder::TurnIndex ServiceOrder::make_turn(DownloadClass name, PrincipalIndex principal) {
  TurnIndex index;
  if (unused_turns_.empty()) {
    index = static_cast<TurnIndex>(turns_.size());
    turns_.emplace_back();
  } else {
    index = unused_turns_.back();
    unused_turns_.pop_back();
  }
  turns_[index] = Turn{};
  turns_[index].download_class = name;
  turns_[index].principal = principal;
  return index;
}

ServiceOrder::TurnIndex ServiceOrder::turn_for(const Waiter& waiter) {
  if (is_smallest_first_) {
    const auto index = make_turn(waiter.download_class, waiter.principal);
    turns_[index].base = waiter.is_aged ? 0 : waiter.size + 1;
    return index;
  }
  auto& line = this->line(waiter.download_class);
  const auto [found, is_new] = line.turns.try_emplace(waiter.principal);
  if (is_new) found->second = make_turn(waiter.download_class, waiter.principal);
  auto& turn = turns_[found->second];
  if (turn.sessions.empty()) turn.base = std::max(line.round, turn.was_granted ? turn.granted_round + 1 : 0);
  return found->second;
}

void ServiceOrder::join(SessionIndex session, const Waiter& waiter) {
  if (size(waiter.download_class) == 0) tags_.restart(static_cast<std::size_t>(waiter.download_class));
  stand(session, waiter);
}

void ServiceOrder::stand(SessionIndex session, const Waiter& waiter) {
  grow_to_hold(places_, session);
  ensure(places_[session].turn == kNoTurn, "a session stands in line once");
  auto& line = this->line(waiter.download_class);
  const auto index = turn_for(waiter);
  places_[session] = {waiter.arrival, waiter.number, index};
  auto& turn = turns_[index];
  if (turn.sessions.empty()) {
    turn.ring_arrival = waiter.arrival;
    turn.ring_number = waiter.number;
  }
  const auto at = place_in_turn(turn, session);
  make_room(turn.sessions);
  make_room(turn.bytes);
  make_room(turn.nodes);
  turn.sessions.insert(turn.sessions.begin() + static_cast<std::ptrdiff_t>(at), session);
  turn.bytes.insert(turn.bytes.begin() + static_cast<std::ptrdiff_t>(at), waiter.bytes);
  // Those behind it have the next slot each; of equal sizes nothing changes in the tree.
  for (auto i = at; i < turn.nodes.size(); ++i)
    if (turn.bytes[i] != turn.bytes[i + 1]) line.tree.put(turn.nodes[i], turn.bytes[i]);
  const Slot slot{turn.base + turn.nodes.size(), turn.ring_arrival, turn.ring_number};
  turn.nodes.push_back(line.tree.insert(slot, index, turn.bytes.back()));
}

void ServiceOrder::leave(SessionIndex session) { leave(std::span(&session, 1)); }

void ServiceOrder::leave(std::span<const SessionIndex> sessions) {
  std::map<TurnIndex, std::vector<std::size_t>> from;  // the places in each turn that become free
  for (const auto session : sessions) {
    ensure(contains(session), "only who stands in line can leave it");
    const auto index = places_[session].turn;
    from[index].push_back(place_in_turn(turns_[index], session));
  }
  for (const auto session : sessions) places_[session].turn = kNoTurn;
  for (auto& [index, places] : from) {
    std::sort(places.begin(), places.end());
    close_up(turns_[index], places);
    forget_if_past(index);
  }
}

// Takes the sessions at these places out of a turn: those behind them move up, and any departure frees the principal's
// last slot (Exactly 3).
void ServiceOrder::close_up(Turn& turn, const std::vector<std::size_t>& places) {
  auto& tree = line(turn.download_class).tree;
  auto kept = places.front();
  auto next = places.begin();
  for (auto i = kept; i < turn.sessions.size(); ++i) {
    if (next != places.end() && *next == i) {
      ++next;
      continue;
    }
    if (turn.bytes[kept] != turn.bytes[i]) tree.put(turn.nodes[kept], turn.bytes[i]);
    turn.sessions[kept] = turn.sessions[i];
    turn.bytes[kept++] = turn.bytes[i];
  }
  turn.sessions.resize(kept);
  turn.bytes.resize(kept);
  for (; turn.nodes.size() > kept; turn.nodes.pop_back()) tree.erase(turn.nodes.back());
}

void ServiceOrder::move(SessionIndex session, const Waiter& waiter) {
  ensure(contains(session), "only who stands in line can move in it");
  const auto from = turns_[places_[session].turn].download_class;
  leave(session);
  from == waiter.download_class ? stand(session, waiter) : join(session, waiter);
}

void ServiceOrder::grant(SessionIndex session) {
  ensure(contains(session), "only who stands in line is granted a seat");
  const auto index = places_[session].turn;
  auto& turn = turns_[index];
  auto& line = this->line(turn.download_class);
  const auto at = place_in_turn(turn, session);
  const auto bytes = turn.bytes[at];
  tags_.grant(static_cast<std::size_t>(turn.download_class), line.tree.before(turn.nodes[at]).bytes, bytes);

  // The principal's turn is used up, whichever of its sessions it was: those before it move up by one slot.
  places_[session].turn = kNoTurn;
  for (auto i = at; i > 0; --i)
    if (turn.bytes[i] != turn.bytes[i - 1]) line.tree.put(turn.nodes[i], turn.bytes[i - 1]);
  turn.sessions.erase(turn.sessions.begin() + static_cast<std::ptrdiff_t>(at));
  turn.bytes.erase(turn.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  line.tree.erase(turn.nodes.front());
  turn.nodes.erase(turn.nodes.begin());
  turn.granted_round = turn.base;
  turn.was_granted = true;
  turn.base += 1;
  if (!is_smallest_first_) advance_round(line, turn.granted_round, turn.principal);
  forget_if_past(index);
}

void ServiceOrder::resize(SessionIndex session, std::uint64_t bytes) {
  ensure(contains(session), "only who stands in line can want another amount");
  auto& turn = turns_[places_[session].turn];
  const auto at = place_in_turn(turn, session);
  turn.bytes[at] = bytes;
  line(turn.download_class).tree.put(turn.nodes[at], bytes);
}

std::uint64_t ServiceOrder::bytes(SessionIndex session) const {
  const auto& turn = turns_[places_[session].turn];
  return turn.bytes[place_in_turn(turn, session)];
}

bool ServiceOrder::may_have_aged(DownloadClass name) const {
  const auto& turns = line(name).turns;
  const auto found = turns.find(kAgedPrincipal);
  return is_smallest_first_ || (found != turns.end() && !turns_[found->second].sessions.empty());
}

// Where the session stands, or would stand, among its principal's sessions.
std::size_t ServiceOrder::place_in_turn(const Turn& turn, SessionIndex session) const {
  const auto order = [this](SessionIndex index) {
    const auto& place = places_[index];
    return std::pair(place.arrival, place.number);
  };
  const auto found = std::lower_bound(turn.sessions.begin(), turn.sessions.end(), order(session),
                                      [&](SessionIndex index, const auto& value) { return order(index) < value; });
  return static_cast<std::size_t>(found - turn.sessions.begin());
}

SlotTree::Node ServiceOrder::node_of(SessionIndex session) const {
  const auto& turn = turns_[places_[session].turn];
  return turn.nodes[place_in_turn(turn, session)];
}

SessionIndex ServiceOrder::session_at(const Line& line, SlotTree::Node node) const {
  const auto& turn = turns_[line.tree.owner(node)];
  return turn.sessions[line.tree.slot(node).round - turn.base];
}

// A principal that nobody waits for is remembered only while its last turn still matters: until the round goes on.
void ServiceOrder::forget_if_past(TurnIndex index) {
  auto& turn = turns_[index];
  if (!turn.sessions.empty()) return;
  auto& line = this->line(turn.download_class);
  if (!is_smallest_first_) {
    if (turn.was_granted && turn.granted_round >= line.round) return;
    line.turns.erase(turn.principal);
  }
  turn = Turn{};
  unused_turns_.push_back(index);
}

void ServiceOrder::advance_round(Line& line, std::uint64_t round, PrincipalIndex principal) {
  if (round > line.round) {
    line.round = round;
    const auto past = std::exchange(line.granted_this_round, {});
    for (const auto one : past)
      if (const auto known = line.turns.find(one); known != line.turns.end()) forget_if_past(known->second);
  }
  if (round == line.round) line.granted_this_round.push_back(principal);
}

// --- Positions ------------------------------------------------------------------------------------------------------

// How much of each class's line comes before the session: what has a smaller tag, or an equal one and a higher class.
ServiceOrder::Cuts ServiceOrder::cuts_before(SessionIndex session) const {
  ensure(contains(session), "only who stands in line has a position");
  Cuts cuts;
  const auto& turn = turns_[places_[session].turn];
  const auto own = static_cast<std::size_t>(turn.download_class);
  const auto at = place_in_turn(turn, session);
  cuts[own] = lines_[own].tree.before(turn.nodes[at]);
  const auto mine = tags_.tag(own, cuts[own].bytes, turn.bytes[at]);
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto& line = lines_[i];
    if (i == own || line.tree.size() == 0 || mine < tags_.given(i)) continue;
    const auto room = mine - tags_.given(i);
    const auto scale = tags_.scale(i);
    // (2 before + own) scale < room, or <= room.
    const bool is_higher = i < own;
    cuts[i] = is_higher ? line.tree.reach(room / scale, true) : line.tree.reach((room + scale - 1) / scale, false);
  }
  return cuts;
}

namespace {

ServiceOrder::Ahead sum(const std::array<SlotTree::Prefix, kClasses>& cuts) {
  ServiceOrder::Ahead ahead;
  for (const auto& cut : cuts) {
    ahead.sessions += cut.count;
    ahead.bytes += cut.bytes;
  }
  return ahead;
}

}  // namespace

ServiceOrder::Ahead ServiceOrder::ahead_of(SessionIndex session) const { return sum(cuts_before(session)); }

ServiceOrder::Outlook ServiceOrder::outlook(SessionIndex session, std::size_t most,
                                            std::vector<std::uint64_t>& largest) const {
  const auto cuts = cuts_before(session);
  const auto own = static_cast<std::size_t>(turns_[places_[session].turn].download_class);
  const auto node = node_of(session);
  largest_before(cuts, own, node, most, largest);
  return {sum(cuts), just_before(cuts, own, node, most)};
}

// `node`: the session's own, in the class `own`.
ServiceOrder::Ahead ServiceOrder::just_before(Cuts cuts, std::size_t own, SlotTree::Node node, std::size_t most) const {
  struct Last {
    SlotTree::Node node = SlotTree::kNone;
    std::uint64_t bytes = 0;
    Tag tag{};
  };
  std::array<Last, kClasses> last{};
  // The last of a class among those that are left of it.
  const auto look_at = [&](std::size_t i, SlotTree::Node at) {
    last[i].node = at;
    if (at == SlotTree::kNone) return;
    last[i].bytes = lines_[i].tree.bytes_of(at);
    last[i].tag = tags_.tag(i, cuts[i].bytes - last[i].bytes, last[i].bytes);
  };
  for (std::size_t i = 0; i < kClasses; ++i)
    if (i != own && cuts[i].count > 0) look_at(i, lines_[i].tree.at(cuts[i].count - 1));
  look_at(own, lines_[own].tree.previous(node));
  Ahead ahead;
  for (; ahead.sessions < most; ++ahead.sessions) {
    std::size_t chosen = kClasses;
    for (std::size_t i = 0; i < kClasses; ++i)
      if (last[i].node != SlotTree::kNone && (chosen == kClasses || last[i].tag >= last[chosen].tag)) chosen = i;
    if (chosen == kClasses) return ahead;
    cuts[chosen].bytes -= last[chosen].bytes;
    ahead.bytes += last[chosen].bytes;
    look_at(chosen, lines_[chosen].tree.previous(last[chosen].node));
  }
  return ahead;
}

void ServiceOrder::largest_before(const Cuts& cuts, std::size_t own, SlotTree::Node node, std::size_t most,
                                  std::vector<std::uint64_t>& into) const {
  const auto begin = static_cast<std::ptrdiff_t>(into.size());
  lines_[own].tree.largest_before(node, most, into);
  for (std::size_t i = 0; i < kClasses; ++i)
    if (i != own) lines_[i].tree.largest(cuts[i].count, most, into);
  if (into.size() <= static_cast<std::size_t>(begin) + most) return;
  std::nth_element(into.begin() + begin, into.begin() + begin + static_cast<std::ptrdiff_t>(most), into.end(),
                   std::greater<>());
  into.resize(static_cast<std::size_t>(begin) + most);
}

// --- Walking --------------------------------------------------------------------------------------------------------

ServiceOrder::Walk::Walk(const ServiceOrder& order, const std::array<bool, kClasses>& classes) : order_(&order) {
  for (std::size_t i = 0; i < kClasses; ++i) nodes_[i] = classes[i] ? order.lines_[i].tree.first() : SlotTree::kNone;
  choose();
}

void ServiceOrder::Walk::choose() {
  chosen_ = kClasses;
  Tag least{};
  for (std::size_t i = 0; i < kClasses; ++i) {
    if (nodes_[i] == SlotTree::kNone) continue;
    const auto& line = order_->lines_[i];
    const auto its_tag = order_->tags_.tag(i, bytes_[i], line.tree.bytes_of(nodes_[i]));
    if (chosen_ != kClasses && its_tag >= least) continue;
    chosen_ = i;
    least = its_tag;
  }
}

bool ServiceOrder::Walk::has_ended() const { return chosen_ == kClasses; }

SessionIndex ServiceOrder::Walk::session() const {
  return order_->session_at(order_->lines_[chosen_], nodes_[chosen_]);
}

void ServiceOrder::Walk::next() {
  const auto& tree = order_->lines_[chosen_].tree;
  bytes_[chosen_] += tree.bytes_of(nodes_[chosen_]);
  nodes_[chosen_] = tree.next(nodes_[chosen_]);
  choose();
}

}  // namespace arkvory::server
