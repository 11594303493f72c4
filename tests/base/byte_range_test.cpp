// SPDX-License-Identifier: Apache-2.0
#include "core/base/byte_range.h"

#include <doctest/doctest.h>

#include <limits>

namespace arkvory {

TEST_CASE("a byte range is half-open inside and inclusive on the wire") {
  const ByteRange range(10, 20);
  CHECK(range.length() == 10);
  CHECK(range.to_header() == "bytes=10-19");
  CHECK(ByteRange(0, 1).to_header() == "bytes=0-0");
  CHECK(ByteRange(0, std::numeric_limits<std::uint64_t>::max()).to_header() == "bytes=0-18446744073709551614");
}

TEST_CASE("no byte range is empty") {
  CHECK(ByteRange::make(3, 4) == ByteRange(3, 4));
  CHECK_FALSE(ByteRange::make(3, 3));
  CHECK_FALSE(ByteRange::make(4, 3));
}

TEST_CASE("byte ranges know what they share") {
  const ByteRange range(10, 20);
  CHECK(range.intersection(ByteRange(15, 30)) == ByteRange(15, 20));
  CHECK(range.intersection(ByteRange(0, 100)) == range);
  CHECK_FALSE(range.intersection(ByteRange(20, 30)));
  CHECK_FALSE(range.intersection(ByteRange(0, 10)));
  CHECK(range.contains(range));
  CHECK(range.contains(ByteRange(10, 11)));
  CHECK_FALSE(range.contains(ByteRange(9, 11)));
  CHECK_FALSE(range.contains(ByteRange(19, 21)));
}

}  // namespace arkvory
