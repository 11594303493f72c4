// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/ticket_office.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace arkvory::server {
namespace {

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

// Milliseconds. Beyond it, as after the clock was set back, two arrivals may have the same stamp: a ticket from the
// future would be refused.
constexpr std::int64_t kLongestLead = 1000;

}  // namespace

std::int64_t TicketOffice::stamp(WallTime now) {
  const auto wall = milliseconds_of(now);
  const bool is_near = last_stamp_ >= wall && last_stamp_ - wall < kLongestLead;
  last_stamp_ = is_near ? last_stamp_ + 1 : wall;
  return last_stamp_;
}

std::optional<TicketClaim> TicketOffice::take(const Ticket& ticket, const SessionKey& session, Instant now,
                                              WallTime wall) {
  const auto wall_ms = milliseconds_of(wall);
  const auto checked = signer_ ? signer_->check(ticket.text(), session, wall_ms) : TicketRefusal::without_key;
  if (const auto* why = std::get_if<TicketRefusal>(&checked)) {
    refuse(*why);
    return std::nullopt;
  }
  const auto& times = std::get<TicketTimes>(checked);
  return TicketClaim{now - std::chrono::milliseconds(wall_ms - times.arrival_ms), times.arrival_ms, times.issued_ms};
}

std::optional<TicketOffice::Issued> TicketOffice::issue(const SessionKey& session, std::int64_t arrival_stamp,
                                                        WallTime wall) {
  if (!signer_) return std::nullopt;
  has_issued_ = true;
  // A stamp may be ahead of the clock by the number of arrivals in its millisecond.
  const auto issued = std::max(milliseconds_of(wall), arrival_stamp);
  return Issued{signer_->issue(session, arrival_stamp, issued), issued};
}

bool TicketOffice::is_note_due(Instant now) {
  if (!has_issued_ || (noted_at_ && now - *noted_at_ < kNoteEvery)) return false;
  noted_at_ = now;
  has_issued_ = false;
  return true;
}

}  // namespace arkvory::server
