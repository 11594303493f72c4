// SPDX-License-Identifier: Apache-2.0
// The Content-Range of an answer (RFC 9110 §14.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/byte_range.h"

namespace arkvory {

struct ContentRange {
  std::optional<ByteRange> range;      // absent in the form `bytes */N` of a 416
  std::optional<std::uint64_t> total;  // absent in the form `bytes s-e/*`

  // Strict: unit `bytes` in any case, decimal numbers, first <= last < total. Anything else: nothing. Totals and ends
  // (one past the last byte) up to 2^63-1.
  static std::optional<ContentRange> parse(std::string_view text);
  std::string to_header() const;
};

}  // namespace arkvory
