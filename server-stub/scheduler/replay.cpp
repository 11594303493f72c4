// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/replay.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/wide.h"
#include "server-stub/scheduler/byte_sums.h"

namespace arkvory::server {
namespace {

// The waiting sessions of one principal that are alike in all that decides who may take a seat, in their order.
struct Alike {
  PrincipalIndex counted_as;
  std::size_t download_class;
  std::size_t waits_in;
  bool has_download_id;
  std::deque<std::uint32_t> places{};  // in the line

  std::uint64_t key() const {
    return ((static_cast<std::uint64_t>(counted_as) * kClasses + download_class) * kClasses + waits_in) * 2 +
           (has_download_id ? 1 : 0);
  }
};

// Those who wait. Groups of alike sessions by the place of their first, so that who may not go is not looked at.
class Waiting {
 public:
  explicit Waiting(const Replay::Line& line)
      : line_(line), tags_(line.tags), of_principal_(line.shares.principals()), place_in_class_(line.waiting.size()) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::array<std::uint32_t, kClasses> counts{};
    for (std::uint32_t place = 0; place < line.waiting.size(); ++place) {
      const auto& one = line.waiting[place];
      Alike group{one.counted_as, static_cast<std::size_t>(one.download_class), static_cast<std::size_t>(one.waits_in),
                  one.has_download_id};
      place_in_class_[place] = counts[group.waits_in]++;
      ahead_[group.waits_in].append(one.rest);
      const auto [found, is_new] = known.try_emplace(group.key(), static_cast<std::uint32_t>(groups_.size()));
      if (is_new) {
        groups_.push_back(group);
        of_principal_[one.counted_as].push_back(found->second);
      }
      groups_[found->second].places.push_back(place);
      with_id_ += one.has_download_id ? 1 : 0;
      left_ += 1;
    }
    for (std::uint32_t i = 0; i < groups_.size(); ++i)
      shelf(groups_[i], line.shares.is_below(groups_[i].counted_as)).emplace(groups_[i].places.front(), i);
  }

  std::size_t with_id() const { return with_id_; }
  bool is_empty() const { return left_ == 0; }

  // The first, of those below their share before others, whose class is allowed. Takes it out.
  std::optional<std::uint32_t> take(const std::array<bool, kClasses>& classes, bool may_be_without_id,
                                    const Shares& shares) {
    for (const bool is_below : {true, false}) {
      Shelf* best = nullptr;
      std::tuple<Tag, std::size_t, std::uint32_t> least;
      for (std::size_t name = 0; name < kClasses; ++name)
        for (std::size_t waits_in = 0; waits_in < kClasses; ++waits_in)
          for (const bool has_id : {true, false}) {
            auto& one = shelves_[name][waits_in][has_id ? 1 : 0][is_below ? 1 : 0];
            if (!classes[name] || (!has_id && !may_be_without_id) || one.empty()) continue;
            const auto place = one.begin()->first;
            const auto its = std::tuple(tag(place), waits_in, place);  // of equal tags the higher class
            if (best != nullptr && least <= its) continue;
            best = &one;
            least = its;
          }
      if (best == nullptr) continue;
      const auto [place, index] = *best->begin();
      best->erase(best->begin());
      auto& group = groups_[index];
      group.places.pop_front();
      with_id_ -= group.has_download_id ? 1 : 0;
      left_ -= 1;
      tags_.grant(group.waits_in, ahead_[group.waits_in].before(place_in_class_[place]), line_.waiting[place].rest);
      ahead_[group.waits_in].take_out(place_in_class_[place], line_.waiting[place].rest);
      if (!group.places.empty()) shelf(group, shares.is_below(group.counted_as)).emplace(group.places.front(), index);
      return place;
    }
    return std::nullopt;
  }

  // The principal came to its share, or below it.
  void reshelve(PrincipalIndex principal, bool is_below) {
    for (const auto index : of_principal_[principal]) {
      auto& group = groups_[index];
      if (group.places.empty()) continue;
      shelf(group, !is_below).erase({group.places.front(), index});
      shelf(group, is_below).emplace(group.places.front(), index);
    }
  }

  // The class's window opens (W1).
  void reopen(DownloadClass name) { tags_.restart(static_cast<std::size_t>(name)); }

 private:
  using Shelf = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // place of the first, group
  Shelf& shelf(const Alike& group, bool is_below) {
    return shelves_[group.download_class][group.waits_in][group.has_download_id ? 1 : 0][is_below ? 1 : 0];
  }

  Tag tag(std::uint32_t place) const {
    const auto& one = line_.waiting[place];
    const auto in = static_cast<std::size_t>(one.waits_in);
    return tags_.tag(in, ahead_[in].before(place_in_class_[place]), one.rest);
  }

  const Replay::Line& line_;
  ClassTags tags_;
  std::vector<Alike> groups_;
  std::vector<std::vector<std::uint32_t>> of_principal_;
  std::vector<std::uint32_t> place_in_class_;  // by place in the line
  std::array<ByteSums, kClasses> ahead_;       // of each class, those who still wait
  std::array<std::array<std::array<std::array<Shelf, 2>, 2>, kClasses>, kClasses> shelves_;
  std::size_t with_id_ = 0;
  std::size_t left_ = 0;
};

// The link and its seats, in bytes that the link has carried.
class Course {
 public:
  Course(Replay::Line& line, Instant now)
      : line_(line),
        waiting_(line),
        now_(now),
        is_equal_(line.bandwidth_order == BandwidthOrder::equal ||
                  static_cast<Wide>(line.floor) * line.seats > line.rate) {
    for (const auto& one : line_.active) {
      ++order_;
      seat(one);
      count(one, true);
    }
  }

  // The next one who is seated, in order of time; none where no more will be.
  std::optional<const Replay::Seated*> next() {
    while (!waiting_.is_empty()) {
      if (seats_.size() < line_.seats)
        if (const auto place = waiting_.take(open_classes(), may_be_without_id(), line_.shares)) {
          const auto& one = line_.waiting[*place];
          ++order_;
          seat(one);
          count(one, true);
          const bool was_below = line_.shares.is_below(one.counted_as);
          line_.shares.remove_waiting(one.counted_as);
          line_.shares.add_seat(one.counted_as);
          if (was_below != line_.shares.is_below(one.counted_as)) waiting_.reshelve(one.counted_as, false);
          return &one;
        }
      if (!go_on()) return std::nullopt;
    }
    return std::nullopt;
  }

  Duration time() const { return idle_ + time_for(carried_, line_.rate); }
  Duration idle() const { return idle_; }

 private:
  struct InSeat {
    Wide ends;  // level under equal shares; else what it wants
    std::uint64_t order;
    const Replay::Seated* who;
    bool operator>(const InSeat& other) const { return std::tie(ends, order) > std::tie(other.ends, other.order); }
  };

  void seat(const Replay::Seated& one) {
    if (is_equal_)
      seats_.push_back({level_ + one.rest, order_, &one});
    else
      seats_.push_back({one.rest, order_, &one});
    if (is_equal_) std::push_heap(seats_.begin(), seats_.end(), std::greater<>());
  }

  void count(const Replay::Seated& one, bool is_added) {
    const int step = is_added ? 1 : -1;
    if (one.download_class != DownloadClass::interactive) others_ += step;
    if (!one.has_download_id) without_id_ += step;
  }

  std::array<bool, kClasses> open_classes() const {
    std::array<bool, kClasses> classes{};
    for (std::size_t i = 0; i < kClasses; ++i) {
      const auto name = static_cast<DownloadClass>(i);
      const bool has_room =
          name == DownloadClass::interactive || others_ < static_cast<std::int64_t>(line_.seats_for_others);
      classes[i] = has_room && !line_.gates.is_barred(name);
    }
    return classes;
  }

  bool may_be_without_id() const {
    return waiting_.with_id() == 0 || without_id_ < static_cast<std::int64_t>((line_.seats + 1) / 2);
  }

  // Up to the next end or change of a window; false where neither will come.
  bool go_on() {
    const auto change = line_.gates.next_change();
    if (seats_.empty()) {
      if (!change) return false;
      idle_ += std::max(*change - (now_ + time()), Duration(0));
      return follow(*change);
    }
    const Wide needed = is_equal_ ? (seats_.front().ends - level_) * seats_.size() : seats_.front().ends;
    if (change && now_ + idle_ + time_for(carried_ + needed, line_.rate) > *change) {
      const auto passed = std::max(*change - (now_ + time()), Duration(0));
      const auto bytes = std::min(needed, static_cast<Wide>(line_.rate) * static_cast<Wide>(passed.count()) / kBillion);
      carried_ += bytes;
      if (is_equal_)
        level_ += bytes / seats_.size();
      else
        seats_.front().ends -= bytes;
      return follow(*change);
    }
    carried_ += needed;
    if (is_equal_) {
      level_ = seats_.front().ends;
      std::pop_heap(seats_.begin(), seats_.end(), std::greater<>());
      end(*seats_.back().who);
      seats_.pop_back();
    } else {
      end(*seats_.front().who);
      seats_.pop_front();
    }
    return true;
  }

  bool follow(Instant change) {
    std::vector<DownloadClass> changed;
    line_.gates.follow(change, changed);
    for (const auto name : changed)
      if (line_.gates.is_inside(name) && line_.gates.outside_share_ppm(name) == 0) waiting_.reopen(name);
    return ++changes_ < kMostChanges;
  }

  void end(const Replay::Seated& one) {
    count(one, false);
    const bool was_below = line_.shares.is_below(one.counted_as);
    line_.shares.remove_seat(one.counted_as);
    if (was_below != line_.shares.is_below(one.counted_as)) waiting_.reshelve(one.counted_as, true);
  }

  static constexpr Wide kBillion = 1'000'000'000U;
  static constexpr std::size_t kMostChanges = 1000;  // of windows: more than a year of them

  Replay::Line& line_;
  Waiting waiting_;
  Instant now_;
  bool is_equal_;
  std::deque<InSeat> seats_;  // by grant; under equal shares a heap
  std::uint64_t order_ = 0;
  std::int64_t others_ = 0;
  std::int64_t without_id_ = 0;
  Wide carried_ = 0;
  Wide level_ = 0;
  Duration idle_{0};
  std::size_t changes_ = 0;
};

// W and B, as more and more are ahead (E1).
class Ahead {
 public:
  explicit Ahead(std::size_t seats) : most_(seats - 1) {}
  void add(std::uint64_t bytes) {
    sum_ += bytes;
    largest_.push(bytes);
    largest_sum_ += bytes;
    if (largest_.size() <= most_) return;
    largest_sum_ -= largest_.top();
    largest_.pop();
  }
  Wide sum() const { return sum_; }
  Wide largest() const { return largest_sum_; }

 private:
  std::size_t most_;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> largest_;
  Wide sum_ = 0;
  Wide largest_sum_ = 0;
};

}  // namespace

Replay::Replay(Line line, Instant now)
    : made_at_(now), length_(line.waiting.size() + line.active.size()), waiting_(line.waiting.size()) {
  Ahead ahead(std::max<std::size_t>(line.seats, 1));
  for (const auto& one : line.active) ahead.add(one.rest);
  Course course(line, now);
  while (const auto seated = course.next()) {
    const auto start = course.time();
    starts_[(*seated)->session] = {start, course.idle() + time_for(ahead.sum() - ahead.largest(), line.rate),
                                   std::max(start, course.idle() + time_for(ahead.sum(), line.rate))};
    ahead.add((*seated)->rest);
  }
}

std::optional<StartEstimate> Replay::start_of(SessionIndex session) const {
  const auto found = starts_.find(session);
  if (found == starts_.end()) return std::nullopt;
  return found->second;
}

std::optional<Duration> Replay::last_start() const {
  if (starts_.size() < waiting_) return std::nullopt;
  Duration last{0};
  for (const auto& [session, start] : starts_) last = std::max(last, start.point);
  return last;
}

}  // namespace arkvory::server
