// SPDX-License-Identifier: Apache-2.0
// The bandwidth governor (B1, B2): one rate for all answers. Under `oldest-first` the oldest seat takes what it can
// absorb, the rest goes to the next, and everyone keeps a floor so that no client times out; under `equal` what one
// can't take is shared by the others (max-min). Streams of a group may have a limit together (W1).
//
// A pure state machine: streams say how many bytes they could send now, `allot` gives allowances, `next` says when it
// is worth asking again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "server-stub/scheduler/settings.h"

namespace arkvory::server {

class Governor {
 public:
  // What is given at once at the least, so that small pieces don't cost more than they carry.
  static constexpr std::uint64_t kQuantum = 16 * kKiB;
  // The least time between two allotments.
  static constexpr Duration kPulse = std::chrono::milliseconds(4);

  using StreamId = std::uint64_t;
  struct Allowance {
    StreamId stream;
    std::uint64_t bytes;
  };

  // `rate` and `floor` in bytes a second; rate > 0. Floors that exceed the rate together become equal shares of it.
  Governor(std::uint64_t rate, std::uint64_t floor, BandwidthOrder order, Instant now);

  // From now on; what was gathered until now was gathered under the old ones.
  void change(std::uint64_t floor, BandwidthOrder order, Instant now);

  // Whose sessions began outside the window of their class (W1): a class's number.
  using Group = std::size_t;
  static constexpr std::size_t kGroups = kDownloadClassNames.size();

  // An answer begins. `order`: the smaller, the earlier it is served.
  StreamId open(std::uint64_t order, Instant now, std::optional<Group> group = std::nullopt);
  // What the streams of a group get together, in bytes a second; none: no limit.
  void limit(Group group, std::optional<std::uint64_t> rate, Instant now);
  void close(StreamId stream);
  // The stream could send `bytes` now (0: nothing any more). Replaces what it said before.
  void want(StreamId stream, std::uint64_t bytes);
  // What was allowed and could not be sent after all.
  void refund(StreamId stream, std::uint64_t bytes);
  // Bytes that were sent unasked, such as a short answer: they count, and those after them wait, but never long: else
  // many short answers would leave nothing for the floors.
  void charge(std::uint64_t bytes);

  // Gives what may be sent now; each stream named wants nothing any more until it says so.
  std::vector<Allowance> allot(Instant now);
  // When `allot` will have something to give; none while nobody wants anything.
  std::optional<Instant> next(Instant now) const;

 private:
  struct Stream {
    std::uint64_t order = 0;
    std::int64_t credit = 0;  // of its floor, in bytes
    std::uint64_t wanted = 0;
    std::optional<Group> group{};
    std::uint64_t served =
        0;  // in bytes; of one that comes back after a pause, as if it had gone along with the others
  };
  struct Limit {
    std::optional<std::uint64_t> rate{};
    std::int64_t tokens = 0;
    std::uint64_t left_over = 0;
  };
  using ByOrder = std::map<std::pair<std::uint64_t, StreamId>, Stream*>;

  void accrue(Instant now);
  std::uint64_t share() const;  // of each stream before anyone gets more, in bytes a second
  bool is_shared() const;       // everything goes into these
  // The end where nobody who wants something may get it.
  ByOrder::const_iterator first_to_serve() const;
  const Limit* limit_of(const Stream& stream) const;
  bool is_held_back(const Stream& stream) const;
  std::uint64_t least(const Stream& stream) const;
  void give(StreamId id, Stream& stream, std::uint64_t bytes, std::vector<Allowance>& given);

  std::uint64_t rate_;
  std::uint64_t floor_;
  BandwidthOrder order_;
  std::int64_t burst_;
  std::int64_t tokens_;
  Instant accrued_at_;
  std::uint64_t left_over_ = 0;  // of a byte, in billionths: slow rates lose nothing to rounding
  std::array<Limit, kGroups> limits_{};
  StreamId next_id_ = 1;
  std::uint64_t least_served_ = 0;  // of those served last
  std::map<StreamId, Stream> streams_;
  ByOrder wanting_;
};

}  // namespace arkvory::server
