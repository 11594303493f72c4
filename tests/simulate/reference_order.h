// SPDX-License-Identifier: Apache-2.0
// Who is served before whom (scheduler.md, Exactly 2, 3, 6), the slow way: the whole line is worked out anew whenever
// it is asked for, by serving who comes next, again and again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/protocol/download_class.h"
#include "server-stub/scheduler/settings.h"

namespace arkvory::server::reference {

// Bytes over a weight, in units that make every weight's quotient whole.
__extension__ typedef __int128 Tag;

// Nanoseconds from the start of the simulation; transfers end between two of them.
using Time = long double;

// O7: by arrival, then number.
using FifoKey = std::pair<Time, std::uint64_t>;

struct Waiting {
  std::size_t session = 0;
  std::string principal;  // of an aged session that of all that aged from its class
  DownloadClass in = DownloadClass::bulk;
  FifoKey key{};
  std::uint64_t object_size = 0;
  std::uint64_t bytes = 0;  // still to be sent
  bool is_aged = false;
};

class Order {
 public:
  explicit Order(const SchedulerSettings& settings);

  void join(const Waiting& waiting);
  // Without a seat.
  void leave(std::size_t session);
  void grant(std::size_t session);
  // Aged where it stands, or not any more.
  void age(std::size_t session, bool is_aged);
  // What a seat's session did not deliver.
  void give_back(DownloadClass in, std::uint64_t bytes);
  // The class's window opens.
  void reopen(DownloadClass in);

  // Sessions, the next to be served first.
  std::vector<std::size_t> line() const;

 private:
  struct Principal {
    std::int64_t base = 0;
    FifoKey ring{};
    std::optional<std::int64_t> last_granted{};
  };
  struct Class {
    std::vector<Waiting> waiting{};
    std::map<std::string, Principal> principals{};
    Tag given = 0;           // F
    Tag byte = 0;            // what one byte adds to it
    std::int64_t round = 0;  // the greatest granted
  };
  struct Place {
    std::size_t session;
    Tag tag;
  };

  static std::vector<Waiting> fifo(const Class& in, const std::string& principal);
  std::vector<Waiting> ordered(const Class& in) const;
  std::vector<Place> places() const;
  Class& class_of(std::size_t session);

  Strategy strategy_;
  std::array<Class, kDownloadClassNames.size()> classes_{};
  Tag granted_ = 0;  // V
};

}  // namespace arkvory::server::reference
