// SPDX-License-Identifier: Apache-2.0
// What of tickets outlives a process (protocol.md §4, T1). Every call may wait for the disk or for another process:
// never call it on the I/O thread. Calls from several threads are taken one after another.
//
// Fault::local where the store can't be read or written now, Fault::state where what it holds is damaged.
#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "server-stub/store/ticket_key.h"

namespace arkvory::server {

class KeyStore {
 public:
  virtual ~KeyStore() = default;

  // The one key. The first who asks makes it; everyone else, in this process and in others, gets the same.
  virtual Result<TicketKey> ticket_key() = 0;

  // Tickets were issued at `time`. Only the last call counts, even if its time is the earlier one: a clock that was
  // once far ahead is forgotten. A call costs a sync of the disk, so a server calls it seldom, not for each ticket.
  virtual Result<void> note_issued(WallTime time) = 0;
  // What was noted last, to the millisecond; nothing where no ticket was ever issued.
  virtual Result<std::optional<WallTime>> last_issued() = 0;
};

}  // namespace arkvory::server
