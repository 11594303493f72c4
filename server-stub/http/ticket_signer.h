// SPDX-License-Identifier: Apache-2.0
// Queue tickets of format 2 (protocol.md §4): `2.<arrival>.<issued>.<mac>`, both times wall-clock milliseconds in base
// 36, the mac an HMAC-SHA-256 over the session's key and both texts. A ticket proves when a session arrived; it can't
// be moved to another session, its arrival can't be shifted, and it holds for 15 minutes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "core/protocol/ticket.h"
#include "server-stub/http/hmac.h"
#include "server-stub/scheduler/session_key.h"
#include "server-stub/store/ticket_key.h"

namespace arkvory::server {

inline constexpr std::int64_t kTicketLifeMs = 15 * 60'000;
inline constexpr std::int64_t kTicketAheadMs = 2 * 60'000;
inline constexpr std::int64_t kOldestArrivalMs = 30LL * 24 * 60 * 60'000;

// Milliseconds since 1970, UTC.
struct TicketTimes {
  std::int64_t arrival_ms = 0;
  std::int64_t issued_ms = 0;
  friend bool operator==(const TicketTimes&, const TicketTimes&) = default;
};

// Why a ticket is ignored.
enum class TicketRefusal {
  malformed,  // of another form or format, too long, or sent twice
  foreign,    // not signed here, or for another download
  expired,
  ahead,       // issued later than now, as if by a clock far ahead
  impossible,  // its arrival is later than its issue, or too long ago
  without_key,
};
inline constexpr std::array<std::string_view, 6> kTicketRefusalNames{"malformed", "foreign",    "expired",
                                                                     "ahead",     "impossible", "without_key"};

// Not for several threads at once.
class TicketSigner {
 public:
  explicit TicketSigner(const TicketKey& key) : hmac_(key.reveal()) {}

  // Requires times from 1970 on with at most ten digits. An arrival later than `issued_ms`, as after a clock was set
  // back, is written as `issued_ms`.
  Ticket issue(const SessionKey& session, std::int64_t arrival_ms, std::int64_t issued_ms) const;

  // What a ticket says, or why it is to be ignored. Times ahead of `now_ms` are told as `now_ms`.
  std::variant<TicketTimes, TicketRefusal> check(std::string_view text, const SessionKey& session,
                                                 std::int64_t now_ms) const;

 private:
  HmacSha256 hmac_;
};

}  // namespace arkvory::server
