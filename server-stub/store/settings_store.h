// SPDX-License-Identifier: Apache-2.0
// The one settings record of a server (protocol.md §5) and who changed it. Every call may wait for the disk or for
// another process: never call it on the I/O thread. Calls from several threads are taken one after another.
//
// Fault::local where the store can't be read or written now, Fault::state where what it holds is damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace arkvory::server {

struct SettingsRecord {
  std::uint64_t revision = 0;    // counts from 1; 0: nothing was ever stored
  std::string overrides = "{}";  // JSON, as it was sent: what it means is not the store's to know
  std::string updated_by{};
  WallTime updated_at{};

  friend bool operator==(const SettingsRecord&, const SettingsRecord&) = default;
};

// What came of a change that was to be made at one revision only.
template <typename Record>
struct Changed {
  bool is_made;   // false: there is another revision meanwhile
  Record record;  // that is stored now
};

class SettingsStore {
 public:
  virtual ~SettingsStore() = default;

  virtual Result<SettingsRecord> settings() = 0;
  // Stores `next` with the revision after `expected` where that is the one there, and writes down who did it; both or
  // neither. `next.revision` does not count.
  virtual Result<Changed<SettingsRecord>> change_settings(std::uint64_t expected, const SettingsRecord& next) = 0;
};

}  // namespace arkvory::server
