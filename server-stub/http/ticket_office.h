// SPDX-License-Identifier: Apache-2.0
// Where tickets are issued and taken (protocol.md §4): the one place that converts between the clock that queues run on
// and the wall clock that tickets state (L3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/protocol/ticket.h"
#include "server-stub/http/ticket_signer.h"
#include "server-stub/scheduler/scheduler.h"

namespace arkvory::server {

class TicketOffice {
 public:
  // How often it is noted in the store that tickets are being issued (T1).
  static constexpr Duration kNoteEvery = std::chrono::seconds(10);

  struct Issued {
    Ticket ticket;
    std::int64_t stamp;  // its time
  };

  // Without a key nothing is issued and nothing is taken.
  void use(const TicketKey& key) { signer_.emplace(key); }
  bool has_key() const { return signer_.has_value(); }

  // The stamp of one who begins anew: milliseconds of the wall clock, no two alike and at most a second ahead, so that
  // arrivals of one millisecond keep their order over a restart.
  std::int64_t stamp(WallTime now);
  // What a ticket claims, where it is good. Where it is not, that is counted.
  std::optional<TicketClaim> take(const Ticket& ticket, const SessionKey& session, Instant now, WallTime wall);
  // What came as a ticket was none.
  void refuse_malformed() { refuse(TicketRefusal::malformed); }
  std::uint64_t refused(TicketRefusal why) const { return refused_[static_cast<std::size_t>(why)]; }
  std::optional<Issued> issue(const SessionKey& session, std::int64_t arrival_stamp, WallTime wall);

  // True where the store should be told now; it then counts as told, unless `note_failed` follows.
  bool is_note_due(Instant now);
  void note_failed() { has_issued_ = true; }

 private:
  void refuse(TicketRefusal why) { refused_[static_cast<std::size_t>(why)] += 1; }

  std::optional<TicketSigner> signer_;
  std::array<std::uint64_t, kTicketRefusalNames.size()> refused_{};
  std::int64_t last_stamp_ = 0;
  bool has_issued_ = false;  // since the last note
  std::optional<Instant> noted_at_;
};

}  // namespace arkvory::server
