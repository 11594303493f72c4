// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/service_order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/ensure.h"

namespace arkvory::server {

ServiceOrder::ServiceOrder(const Weights& weights, Strategy strategy)
    : is_smallest_first_(strategy == Strategy::smallest_first) {
  scale(weights);
}

void ServiceOrder::scale(const Weights& weights) {
  unit_ = 1;
  for (const auto weight : weights) unit_ *= weight;
  for (std::size_t i = 0; i < kClasses; ++i) lines_[i].scale = static_cast<std::uint64_t>(unit_ / weights[i]);
}

void ServiceOrder::change(const Weights& weights, Strategy strategy) {
  std::vector<SessionIndex> all;
  for (SessionIndex index = 0; index < places_.size(); ++index)
    if (places_[index].is_in_line) all.push_back(index);
  leave(all);
  const auto unit = unit_;
  scale(weights);
  const auto convert = [&](Tag tag) { return tag / unit * unit_ + tag % unit * unit_ / unit; };
  for (auto& line : lines_) line.given = convert(line.given);
  greatest_ = convert(greatest_);
  is_smallest_first_ = strategy == Strategy::smallest_first;
  // As they came, so that the ring of principals is in their order.
  std::sort(all.begin(), all.end(), [this](SessionIndex left, SessionIndex right) {
    const auto& one = places_[left].waiter;
    const auto& other = places_[right].waiter;
    return std::tie(one.arrival, one.number) < std::tie(other.arrival, other.number);
  });
  std::array<Tag, kClasses> given{};
  for (std::size_t i = 0; i < kClasses; ++i) given[i] = lines_[i].given;
  for (const auto index : all) join(index, Waiter(places_[index].waiter));
  for (std::size_t i = 0; i < kClasses; ++i) lines_[i].given = given[i];  // no class was empty
}

ServiceOrder::Tag ServiceOrder::tag(const Line& line, std::uint64_t bytes_before, std::uint64_t bytes) {
  return line.given + (2 * static_cast<Wide>(bytes_before) + bytes) * line.scale;
}

std::size_t ServiceOrder::size() const {
  std::size_t sum = 0;
  for (const auto& line : lines_) sum += line.tree.size();
  return sum;
}

// --- Joining and leaving --------------------------------------------------------------------------------------------

void ServiceOrder::join(SessionIndex session, const Waiter& waiter) {
  if (session >= places_.size()) places_.resize(session + 1);
  ensure(!places_[session].is_in_line, "a session stands in line once");
  places_[session] = {waiter, true};
  auto& line = this->line(waiter.download_class);
  if (line.tree.size() == 0) line.given = std::max(line.given, greatest_);  // an empty class banks no credit
  auto& turn = line.turns[waiter.principal];
  if (turn.sessions.empty()) {
    turn.base = std::max(line.round, turn.was_granted ? turn.granted_round + 1 : 0);
    turn.ring_arrival = waiter.arrival;
    turn.ring_number = waiter.number;
  }
  const auto at = place_in_turn(turn, session);
  turn.sessions.insert(turn.sessions.begin() + static_cast<std::ptrdiff_t>(at), session);
  if (is_smallest_first_) {
    turn.nodes.insert(turn.nodes.begin() + static_cast<std::ptrdiff_t>(at),
                      line.tree.insert(rank(session), session, waiter.bytes));
    return;
  }
  const Slot slot{turn.base + turn.nodes.size(), turn.ring_arrival, turn.ring_number};
  turn.nodes.push_back(line.tree.insert(slot, session, waiter.bytes));
  seat_again(line, turn, at, turn.sessions.size());
}

void ServiceOrder::leave(SessionIndex session) { leave(std::span(&session, 1)); }

void ServiceOrder::leave(std::span<const SessionIndex> sessions) {
  std::map<std::pair<DownloadClass, PrincipalIndex>, std::size_t> from;  // the first place of each that changes
  for (const auto session : sessions) {
    ensure(contains(session), "only who stands in line can leave it");
    auto& place = places_[session];
    const auto at = place_in_turn(line(place.waiter.download_class).turns.at(place.waiter.principal), session);
    auto [known, is_new] = from.try_emplace({place.waiter.download_class, place.waiter.principal}, at);
    if (!is_new) known->second = std::min(known->second, at);
  }
  for (const auto session : sessions) places_[session].is_in_line = false;
  for (const auto& [whose, first] : from) {
    auto& line = this->line(whose.first);
    auto& turn = line.turns.at(whose.second);
    if (is_smallest_first_) {
      for (std::size_t i = 0; i < turn.sessions.size(); ++i) {
        if (places_[turn.sessions[i]].is_in_line) continue;
        line.tree.erase(turn.nodes[i]);
        turn.nodes[i] = SlotTree::kNone;
      }
      std::erase(turn.nodes, SlotTree::kNone);
    }
    std::erase_if(turn.sessions, [this](SessionIndex one) { return !places_[one].is_in_line; });
    // Any departure frees the principal's last slot (Exactly 3).
    for (; turn.nodes.size() > turn.sessions.size(); turn.nodes.pop_back()) line.tree.erase(turn.nodes.back());
    if (!is_smallest_first_) seat_again(line, turn, first, turn.sessions.size());
    forget_if_past(line, whose.second);
  }
}

void ServiceOrder::grant(SessionIndex session) {
  ensure(contains(session), "only who stands in line is granted a seat");
  auto& place = places_[session];
  auto& line = this->line(place.waiter.download_class);
  const auto node = node_of(session);
  greatest_ = std::max(greatest_, tag(line, line.tree.before(node).bytes, place.waiter.bytes));
  line.given += 2 * static_cast<Wide>(place.waiter.bytes) * line.scale;

  // The principal's turn is used up, whichever of its sessions it was: those before it move up by one slot.
  auto& turn = line.turns.at(place.waiter.principal);
  const auto at = place_in_turn(turn, session);
  turn.sessions.erase(turn.sessions.begin() + static_cast<std::ptrdiff_t>(at));
  place.is_in_line = false;
  if (is_smallest_first_) {
    line.tree.erase(node);
    turn.nodes.erase(turn.nodes.begin() + static_cast<std::ptrdiff_t>(at));
    forget_if_past(line, place.waiter.principal);
    return;
  }
  line.tree.erase(turn.nodes.front());
  turn.nodes.erase(turn.nodes.begin());
  seat_again(line, turn, 0, at);
  turn.granted_round = turn.base;
  turn.was_granted = true;
  turn.base += 1;
  advance_round(line, turn.granted_round, place.waiter.principal);
  forget_if_past(line, place.waiter.principal);
}

void ServiceOrder::give_back(DownloadClass name, std::uint64_t bytes) {
  auto& line = this->line(name);
  line.given -= std::min(line.given, 2 * static_cast<Wide>(bytes) * line.scale);
}

void ServiceOrder::charge(DownloadClass name, std::uint64_t bytes) {
  auto& line = this->line(name);
  line.given += 2 * static_cast<Wide>(bytes) * line.scale;
}

void ServiceOrder::reopen(DownloadClass name) {
  auto& line = this->line(name);
  line.given = std::max(line.given, greatest_);
}

void ServiceOrder::resize(SessionIndex session, std::uint64_t bytes) {
  ensure(contains(session), "only who stands in line can want another amount");
  auto& place = places_[session];
  place.waiter.bytes = bytes;
  line(place.waiter.download_class).tree.put(node_of(session), session, bytes);
}

bool ServiceOrder::has_turn(DownloadClass name, PrincipalIndex principal) const {
  const auto found = line(name).turns.find(principal);
  return found != line(name).turns.end() && !found->second.sessions.empty();
}

Slot ServiceOrder::rank(SessionIndex session) const {
  const auto& waiter = places_[session].waiter;
  if (!is_smallest_first_) return {0, waiter.arrival, waiter.number};
  return {waiter.is_aged ? 0 : waiter.size + 1, waiter.arrival, waiter.number};
}

// Where the session stands, or would stand, among its principal's sessions.
std::size_t ServiceOrder::place_in_turn(const Turn& turn, SessionIndex session) const {
  const auto found = std::lower_bound(turn.sessions.begin(), turn.sessions.end(), rank(session),
                                      [this](SessionIndex index, const Slot& value) { return rank(index) < value; });
  return static_cast<std::size_t>(found - turn.sessions.begin());
}

SlotTree::Node ServiceOrder::node_of(SessionIndex session) const {
  const auto& waiter = places_[session].waiter;
  const auto& turn = line(waiter.download_class).turns.at(waiter.principal);
  return turn.nodes[place_in_turn(turn, session)];
}

// The sessions [from, to) of a principal have other slots now.
void ServiceOrder::seat_again(Line& line, Turn& turn, std::size_t from, std::size_t to) {
  for (auto i = from; i < to; ++i)
    line.tree.put(turn.nodes[i], turn.sessions[i], places_[turn.sessions[i]].waiter.bytes);
}

// A principal that nobody waits for is remembered only while its last turn still matters: until the round goes on.
void ServiceOrder::forget_if_past(Line& line, PrincipalIndex principal) {
  const auto found = line.turns.find(principal);
  if (found == line.turns.end() || !found->second.sessions.empty()) return;
  if (found->second.was_granted && found->second.granted_round >= line.round) return;
  line.turns.erase(found);
}

void ServiceOrder::advance_round(Line& line, std::uint64_t round, PrincipalIndex principal) {
  if (round > line.round) {
    line.round = round;
    const auto past = std::exchange(line.granted_this_round, {});
    for (const auto one : past) forget_if_past(line, one);
  }
  if (round == line.round) line.granted_this_round.push_back(principal);
}

// --- Positions ------------------------------------------------------------------------------------------------------

// How much of each class's line comes before the session: what has a smaller tag, or an equal one and a higher class.
ServiceOrder::Cuts ServiceOrder::cuts_before(SessionIndex session) const {
  ensure(contains(session), "only who stands in line has a position");
  Cuts cuts;
  const auto& waiter = places_[session].waiter;
  const auto own = static_cast<std::size_t>(waiter.download_class);
  cuts[own] = lines_[own].tree.before(node_of(session));
  const auto mine = tag(lines_[own], cuts[own].bytes, waiter.bytes);
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto& line = lines_[i];
    if (i == own || line.tree.size() == 0 || mine < line.given) continue;
    const auto room = mine - line.given;
    // (2 before + own) scale < room, or <= room.
    const bool is_higher = i < own;
    cuts[i] = is_higher ? line.tree.reach(room / line.scale, true)
                        : line.tree.reach((room + line.scale - 1) / line.scale, false);
  }
  return cuts;
}

ServiceOrder::Ahead ServiceOrder::ahead_of(SessionIndex session) const {
  Ahead ahead;
  for (const auto& cut : cuts_before(session)) {
    ahead.sessions += cut.count;
    ahead.bytes += cut.bytes;
  }
  return ahead;
}

ServiceOrder::Ahead ServiceOrder::just_ahead_of(SessionIndex session, std::size_t most) const {
  Ahead ahead;
  auto cuts = cuts_before(session);
  for (; ahead.sessions < most; ++ahead.sessions) {
    std::size_t last = kClasses;
    Tag last_tag{};
    std::uint64_t last_bytes = 0;
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (cuts[i].count == 0) continue;
      const auto& tree = lines_[i].tree;
      const auto bytes = tree.bytes_of(tree.at(cuts[i].count - 1));
      const auto its_tag = tag(lines_[i], cuts[i].bytes - bytes, bytes);
      if (last != kClasses && its_tag < last_tag) continue;
      last = i;
      last_tag = its_tag;
      last_bytes = bytes;
    }
    if (last == kClasses) return ahead;
    cuts[last].count -= 1;
    cuts[last].bytes -= last_bytes;
    ahead.bytes += last_bytes;
  }
  return ahead;
}

void ServiceOrder::largest_ahead_of(SessionIndex session, std::size_t most, std::vector<std::uint64_t>& into) const {
  const auto cuts = cuts_before(session);
  const auto begin = static_cast<std::ptrdiff_t>(into.size());
  for (std::size_t i = 0; i < kClasses; ++i) lines_[i].tree.largest(cuts[i].count, most, into);
  std::sort(into.begin() + begin, into.end(), std::greater<>());
  if (into.size() > static_cast<std::size_t>(begin) + most) into.resize(static_cast<std::size_t>(begin) + most);
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
    const auto its_tag = tag(line, bytes_[i], line.tree.bytes_of(nodes_[i]));
    if (chosen_ != kClasses && its_tag >= least) continue;
    chosen_ = i;
    least = its_tag;
  }
}

bool ServiceOrder::Walk::has_ended() const { return chosen_ == kClasses; }

SessionIndex ServiceOrder::Walk::session() const { return order_->lines_[chosen_].tree.session(nodes_[chosen_]); }

void ServiceOrder::Walk::next() {
  const auto& tree = order_->lines_[chosen_].tree;
  bytes_[chosen_] += tree.bytes_of(nodes_[chosen_]);
  nodes_[chosen_] = tree.next(nodes_[chosen_]);
  choose();
}

}  // namespace arkvory::server
