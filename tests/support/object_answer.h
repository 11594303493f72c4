// SPDX-License-Identifier: Apache-2.0
// How a correct origin answers for one object: what both the raw origin and the simulated one do right before a test
// makes them do it wrong. Written apart from the server of this project, so that neither hides a mistake of the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/byte_range.h"
#include "core/http/headers.h"

namespace arkvory::test {

struct ObjectFacts {
  std::uint64_t size = 0;
  std::optional<std::string> etag{};           // as sent, quotes included
  std::optional<std::string> last_modified{};  // as sent
  std::optional<std::string> repr_digest{};    // as sent
  bool ranges = true;                          // false: every Range is ignored
};

struct ObjectAnswer {
  int status = 200;
  Headers headers;                   // with Content-Length, without Date
  std::optional<ByteRange> bytes{};  // of the object to send; nothing for 416, HEAD, or an empty object
};

// RFC 9110: one range of `bytes` (§14.2), If-Range by strong compare (§13.1.5), If-Match by strong compare (§13.1.1).
// Several ranges or a malformed Range are ignored. `method` is GET or HEAD.
ObjectAnswer answer_for(const ObjectFacts& object, const std::string& method, const Headers& request);

}  // namespace arkvory::test
