// SPDX-License-Identifier: Apache-2.0
// Who is served next (O1, O2, O3, O6, O7; Exactly 2, 3 and 6): four classes by weight over bytes. Inside a class under
// `ordered` round-robin between the principals, first come first served within one; under `smallest_first` the smallest
// object first. The aged of a lower class stand in a class as one more principal.
//
// Nothing is sorted and nothing is re-tagged as the line moves: a session's tag follows from the bytes before it in its
// class's tree. Position and the bytes ahead take O(log n); joining and leaving O(log n) for each later session of the
// same principal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/clock.h"
#include "core/protocol/download_class.h"
#include "server-stub/scheduler/class_tags.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/scheduler/slot_tree.h"

namespace arkvory::server {

using PrincipalIndex = std::uint32_t;
// The principal of all who have aged into a class together (O6).
inline constexpr PrincipalIndex kAgedPrincipal = UINT32_MAX;

// A session as the line sees it.
struct Waiter {
  DownloadClass download_class = DownloadClass::interactive;  // the one it waits in
  PrincipalIndex principal = 0;
  Instant arrival{};
  std::uint32_t number = 0;  // of its record: decides between equal arrivals (O7)
  std::uint64_t bytes = 0;   // what it still wants
  std::uint64_t size = 0;    // of the object
  bool is_aged = false;      // O6
};

class ServiceOrder {
 public:
  using Weights = ClassTags::Weights;

  struct Ahead {
    std::size_t sessions = 0;
    std::uint64_t bytes = 0;
  };

  // Only Strategy::smallest_first makes a difference here.
  explicit ServiceOrder(const Weights& weights, Strategy strategy = Strategy::ordered);
  // From now on (O1); nobody leaves the line. What classes were given counts on as it did. `waiters`: by session, what
  // each is that stands in line. O(n log n).
  void change(const Weights& weights, Strategy strategy, const std::vector<Waiter>& waiters);

  // Requires that the session is not in line.
  void join(SessionIndex session, const Waiter& waiter);
  // Leaves without a seat.
  void leave(SessionIndex session);
  // Many at once, in time that grows with their number and with the lines of their principals, not with the product.
  void leave(std::span<const SessionIndex> sessions);
  // Stands in another place, or in another class, from now on, without having left: no class was empty by it.
  void move(SessionIndex session, const Waiter& waiter);
  // Leaves for a seat: counts for its class and for its principal's turn, wherever in the line it stood.
  void grant(SessionIndex session);
  // A seat ended before all of what was granted was delivered (Exactly 2).
  void give_back(DownloadClass name, std::uint64_t bytes) { tags_.give_back(static_cast<std::size_t>(name), bytes); }
  // More was delivered than was granted, because the session asked for more later: the class pays for it.
  void charge(DownloadClass name, std::uint64_t bytes) { tags_.charge(static_cast<std::size_t>(name), bytes); }
  // The class's window opens (W1): it banks no credit from when it was closed (Exactly 2).
  void reopen(DownloadClass name) { tags_.restart(static_cast<std::size_t>(name)); }
  // What the session wants is another amount now.
  void resize(SessionIndex session, std::uint64_t bytes);

  std::size_t size() const;
  bool contains(SessionIndex session) const { return session < places_.size() && places_[session].turn != kNoTurn; }
  std::size_t size(DownloadClass name) const { return line(name).tree.size(); }

  // Those that would be served before it if nothing else happened (O4): its position is one more.
  Ahead ahead_of(SessionIndex session) const;
  // The same, and of them what an estimate asks for (E1).
  struct Outlook {
    Ahead ahead;
    Ahead just_ahead;  // the `most` that stand just ahead; fewer where there are fewer
  };
  // Appends the sizes of the `most` largest ahead of it, in no order.
  Outlook outlook(SessionIndex session, std::size_t most, std::vector<std::uint64_t>& largest) const;
  // Of a session in line.
  Instant arrival(SessionIndex session) const { return places_[session].arrival; }
  std::uint32_t number(SessionIndex session) const { return places_[session].number; }
  std::uint64_t bytes(SessionIndex session) const;
  const ClassTags& tags() const { return tags_; }
  // Whether one of a lower class may stand in the class's line (O6).
  bool may_have_aged(DownloadClass name) const;

  // Walks the line, or that of some classes, in the order of service. Not valid any more once the line changes.
  class Walk {
   public:
    bool has_ended() const;
    SessionIndex session() const;
    void next();

   private:
    friend class ServiceOrder;
    Walk(const ServiceOrder& order, const std::array<bool, kClasses>& classes);
    void choose();
    const ServiceOrder* order_;
    std::array<SlotTree::Node, kClasses> nodes_;
    std::array<std::uint64_t, kClasses> bytes_{};
    std::size_t chosen_ = kClasses;
  };
  Walk walk() const { return walk({true, true, true, true}); }
  Walk walk(const std::array<bool, kClasses>& classes) const { return {*this, classes}; }

 private:
  using Cuts = std::array<SlotTree::Prefix, kClasses>;
  using TurnIndex = std::uint32_t;
  static constexpr TurnIndex kNoTurn = UINT32_MAX;

  struct Place {
    Instant arrival{};
    std::uint32_t number = 0;
    TurnIndex turn = kNoTurn;  // while it is not in line
  };
  // What a principal has in a class: its sessions in order, and the slots they own, one each. Under `smallest_first`
  // there is a turn for each session, and its slot is its size.
  struct Turn {
    DownloadClass download_class = DownloadClass::interactive;
    bool was_granted = false;
    PrincipalIndex principal = 0;
    std::uint64_t base = 0;  // the round of its first slot
    std::uint64_t granted_round = 0;
    Instant ring_arrival{};
    std::uint32_t ring_number = 0;
    std::vector<SessionIndex> sessions{};
    std::vector<std::uint64_t> bytes{};   // of each
    std::vector<SlotTree::Node> nodes{};  // of their slots
  };
  struct Line {
    SlotTree tree;
    std::unordered_map<PrincipalIndex, TurnIndex> turns;  // but for those of `smallest_first`
    std::vector<PrincipalIndex> granted_this_round;
    std::uint64_t round = 0;  // the greatest granted
  };

  Line& line(DownloadClass name) { return lines_[static_cast<std::size_t>(name)]; }
  const Line& line(DownloadClass name) const { return lines_[static_cast<std::size_t>(name)]; }
  void stand(SessionIndex session, const Waiter& waiter);
  TurnIndex make_turn(DownloadClass name, PrincipalIndex principal);
  TurnIndex turn_for(const Waiter& waiter);
  std::size_t place_in_turn(const Turn& turn, SessionIndex session) const;
  SlotTree::Node node_of(SessionIndex session) const;
  SessionIndex session_at(const Line& line, SlotTree::Node node) const;
  void close_up(Turn& turn, const std::vector<std::size_t>& places);
  void forget_if_past(TurnIndex turn);
  void advance_round(Line& line, std::uint64_t round, PrincipalIndex principal);
  Cuts cuts_before(SessionIndex session) const;
  Ahead just_before(Cuts cuts, std::size_t own, SlotTree::Node node, std::size_t most) const;
  void largest_before(const Cuts& cuts, std::size_t own, SlotTree::Node node, std::size_t most,
                      std::vector<std::uint64_t>& into) const;

  std::array<Line, kClasses> lines_;
  std::vector<Place> places_;  // by session
  std::vector<Turn> turns_;    // the pool
  std::vector<TurnIndex> unused_turns_;
  ClassTags tags_;
  bool is_smallest_first_ = false;
};

}  // namespace arkvory::server
