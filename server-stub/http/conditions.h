// SPDX-License-Identifier: Apache-2.0
// Conditional requests (RFC 9110 §13) as functions of values.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/http/headers.h"

namespace arkvory::server {

// What an object is compared by. The tag is strong, quotes included; the time is in whole seconds.
struct Validators {
  std::string tag;
  WallTime last_modified;
};

enum class Precondition {
  proceed,
  not_modified,  // 304
  failed,        // 412
};

// If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since of a GET or HEAD, in the order of §13.2.2. Dates
// that are none are ignored; a malformed If-Match matches nothing, and neither does a malformed If-None-Match.
Precondition evaluate(const Headers& request, const Validators& object, WallTime now);

// Whether the Range of a GET is to be looked at (§13.1.5): there is no If-Range, or it names this object by its strong
// tag, or by exactly its Last-Modified, once that second is over so that it can't cover a second change.
bool range_applies(const Headers& request, const Validators& object, WallTime now);

}  // namespace arkvory::server
