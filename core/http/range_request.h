// SPDX-License-Identifier: Apache-2.0
// The Range of a request as a server reads it (RFC 9110 §14.1, §14.2; protocol.md §1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/base/byte_range.h"
#include "core/http/headers.h"

namespace arkvory {

// Positions are at most 2^63-1, the largest size there is; a longer number is held as 2^63-1, which means the same for
// every object.
struct ClosedRange {  // `bytes=first-last`, first <= last
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive, as sent; may be beyond the object
  friend bool operator==(const ClosedRange&, const ClosedRange&) = default;
};
struct OpenRange {  // `bytes=first-`
  std::uint64_t first = 0;
  friend bool operator==(const OpenRange&, const OpenRange&) = default;
};
struct SuffixRange {  // `bytes=-length`: the last bytes; 0 is never satisfiable
  std::uint64_t length = 0;
  friend bool operator==(const SuffixRange&, const SuffixRange&) = default;
};
using SingleRange = std::variant<ClosedRange, OpenRange, SuffixRange>;

// No Range, or one in a unit that is not ours and must be ignored: the whole object.
struct NoRange {
  friend bool operator==(const NoRange&, const NoRange&) = default;
};
// Two or more well-formed ranges, which this system answers with the whole object.
struct SeveralRanges {
  friend bool operator==(const SeveralRanges&, const SeveralRanges&) = default;
};
// The unit is `bytes` and what follows is no range set, or the header came twice: 400 `invalid_request`.
struct MalformedRange {
  friend bool operator==(const MalformedRange&, const MalformedRange&) = default;
};
using RangeRequest = std::variant<NoRange, SeveralRanges, MalformedRange, SingleRange>;

// One header value. The unit is compared without case; empty list elements and spaces around commas are allowed
// (RFC 9110 §5.6.1.2).
RangeRequest parse_range_request(std::string_view text);
// From a request.
RangeRequest range_request(const Headers& headers);

// The bytes asked for of an object of `size` bytes: an end beyond it is cut, a suffix longer than it is all of it.
// Nothing where the range is not satisfiable (416); an empty object has no satisfiable range.
std::optional<ByteRange> resolve(const SingleRange& range, std::uint64_t size);

}  // namespace arkvory
