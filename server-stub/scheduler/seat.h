// SPDX-License-Identifier: Apache-2.0
// The right to send one answer of a session that holds a seat (S4). Who sends a body takes one by value; when it is
// destroyed the answer has ended, by whatever path.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/byte_range.h"

namespace arkvory::server {

class Scheduler;

// Names a session; a stale one is recognised.
struct SessionId {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const SessionId&, const SessionId&) = default;
};

// Must not outlive its scheduler.
class Seat {
 public:
  Seat(Seat&& other) noexcept
      : scheduler_(std::exchange(other.scheduler_, nullptr)),
        session_(other.session_),
        range_(other.range_),
        version_(other.version_),
        sent_(other.sent_),
        is_waiting_for_client_(std::exchange(other.is_waiting_for_client_, false)),
        grant_number_(other.grant_number_) {}
  Seat& operator=(Seat&&) = delete;
  ~Seat();

  // So many more bytes of the body were sent.
  void sent(std::uint64_t bytes);
  // Whether bytes are offered that the client does not take (S13).
  void offer(bool is_waiting_for_client);
  // Gives it back: the last byte was sent.
  void complete() &&;
  // Gives it back: of the range only what lies before `end` was sent, as answers sent to their ends. For a simulation
  // in which one answer stands for many.
  void complete_up_to(std::uint64_t end) &&;
  // Likewise, and then it was broken off.
  void cut_after(std::uint64_t end) &&;

  // False once the session has ended without this answer, as by DELETE: nothing more may be sent.
  bool is_valid() const;
  SessionId session() const { return session_; }
  // The class outside whose window the session began (W1).
  std::optional<std::size_t> outside_class() const;
  // Grows with each seat granted: the oldest has the least (B2).
  std::uint64_t grant_number() const { return grant_number_; }

 private:
  friend class Scheduler;
  Seat(Scheduler& scheduler, SessionId session, const ByteRange& range, std::uint64_t version,
       std::uint64_t grant_number)
      : scheduler_(&scheduler), session_(session), range_(range), version_(version), grant_number_(grant_number) {}

  void stop(std::optional<ByteRange> covered, bool is_at_end);

  Scheduler* scheduler_;
  SessionId session_;
  ByteRange range_;
  std::uint64_t version_;
  std::uint64_t sent_ = 0;
  bool is_waiting_for_client_ = false;
  std::uint64_t grant_number_;
};

}  // namespace arkvory::server
