// SPDX-License-Identifier: Apache-2.0
// Retry-After (RFC 9110 §10.2.3): a delay or a date. Absence is `optional`, never 0.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "core/base/clock.h"
#include "core/http/headers.h"

namespace arkvory {

// When an answer was made, by its own server's clock: its `Date`, else `now`.
WallTime time_of_answer(const Headers& headers, WallTime now);

class RetryAfter {
 public:
  // One value: a whole number of seconds of any length, or a date. Anything else counts as absent.
  static std::optional<RetryAfter> parse(std::string_view text, WallTime now);
  // From an answer: of several values the one that asks for the longest wait.
  static std::optional<RetryAfter> from(const Headers& headers, WallTime now);

  // A moment of the server's own time, as an answer made at `answered` by that time told it.
  static RetryAfter until(WallTime moment, WallTime answered);

  // How long to wait from the moment of the answer; a date is counted from the answer's own `Date`, where it has one,
  // else from `now`. Never negative; more than an hour is an hour (client.md, Waiting).
  Duration delay() const { return delay_; }

 private:
  explicit RetryAfter(Duration delay) : delay_(delay) {}
  Duration delay_;
};

}  // namespace arkvory
