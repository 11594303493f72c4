// SPDX-License-Identifier: Apache-2.0
#include "core/http/range_request.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace arkvory {

namespace {

constexpr std::uint64_t kFarthest = std::numeric_limits<std::int64_t>::max();

std::optional<ByteRange> asked_of(const char* text, std::uint64_t size) {
  const auto request = parse_range_request(text);
  REQUIRE(std::holds_alternative<SingleRange>(request));
  return resolve(std::get<SingleRange>(request), size);
}

}  // namespace

TEST_CASE("a single range is closed, open or a suffix") {
  CHECK(parse_range_request("bytes=0-499") == RangeRequest(SingleRange(ClosedRange{0, 499})));
  CHECK(parse_range_request("bytes=500-") == RangeRequest(SingleRange(OpenRange{500})));
  CHECK(parse_range_request("bytes=-500") == RangeRequest(SingleRange(SuffixRange{500})));
  CHECK(parse_range_request("BYTES=0-0") == RangeRequest(SingleRange(ClosedRange{0, 0})));
  CHECK(parse_range_request("bytes= ,0-0 ,\t,") == RangeRequest(SingleRange(ClosedRange{0, 0})));
  CHECK(parse_range_request("bytes=00000000000000000000000001-0000000000000000000000002") ==
        RangeRequest(SingleRange(ClosedRange{1, 2})));
}

TEST_CASE("no Range and an unknown unit both mean the whole object (RFC 9110 section 14.2)") {
  CHECK(range_request(Headers()) == RangeRequest(NoRange{}));
  for (const char* text : {"", "items=0-5", "byte=0-5", "bytesx=0-5", "none", "seconds=1-2", "=0-5", "x bytes=0-5"}) {
    CAPTURE(std::string(text));
    CHECK(parse_range_request(text) == RangeRequest(NoRange{}));
  }
}

TEST_CASE("several ranges are told apart from one") {
  for (const char* text : {"bytes=0-0,-1", "bytes=0-499,500-999", "bytes=1-2, 3-", "bytes=,1-2,,3-4,"}) {
    CAPTURE(std::string(text));
    CHECK(parse_range_request(text) == RangeRequest(SeveralRanges{}));
  }
}

TEST_CASE("a slip in our own unit is malformed, not ignored") {
  for (const char* text : {"bytes",
                           "bytes=",
                           "bytes=,",
                           "bytes= ",
                           "bytes=-",
                           "bytes=5",
                           "bytes=5-4",
                           "bytes=a-b",
                           "bytes=0-5x",
                           "bytes=0--5",
                           "bytes=--5",
                           "bytes=0 - 5",
                           "bytes=+0-5",
                           "bytes=0x0-0x5",
                           "bytes=0-5;1-2",
                           "bytes=0-5,x",
                           "bytes=x,0-5",
                           "bytes 0-5",
                           "bytes =0-5",
                           "bytes=0-5/10",
                           "bytes=*",
                           "bytes=0-5,5-4",
                           "bytes=1.0-2",
                           "bytes==0-5",
                           "bytes=99999999999999999999-99999999999999999998"}) {
    CAPTURE(std::string(text));
    CHECK(parse_range_request(text) == RangeRequest(MalformedRange{}));
  }
}

TEST_CASE("a Range that comes twice is malformed") {
  Headers headers;
  headers.add("range", "  bytes=0-5 ");
  CHECK(range_request(headers) == RangeRequest(SingleRange(ClosedRange{0, 5})));
  headers.add("Range", "bytes=0-5");
  CHECK(range_request(headers) == RangeRequest(MalformedRange{}));
}

TEST_CASE("a range is cut to the object it is asked of") {
  CHECK(asked_of("bytes=0-499", 10000) == ByteRange(0, 500));
  CHECK(asked_of("bytes=9500-", 10000) == ByteRange(9500, 10000));
  CHECK(asked_of("bytes=-500", 10000) == ByteRange(9500, 10000));
  CHECK(asked_of("bytes=0-9999", 10000) == ByteRange(0, 10000));
  CHECK(asked_of("bytes=9999-10000", 10000) == ByteRange(9999, 10000));
  CHECK(asked_of("bytes=-10001", 10000) == ByteRange(0, 10000));
  CHECK(asked_of("bytes=0-", 1) == ByteRange(0, 1));
}

TEST_CASE("a range that begins behind the end, and a suffix of nothing, are not satisfiable") {
  CHECK_FALSE(asked_of("bytes=10000-", 10000));
  CHECK_FALSE(asked_of("bytes=10000-10001", 10000));
  CHECK_FALSE(asked_of("bytes=-0", 10000));
  for (const char* text : {"bytes=0-", "bytes=0-0", "bytes=-1"}) CHECK_FALSE(asked_of(text, 0));
}

TEST_CASE("numbers of any length are clamped, never wrapped") {
  CHECK(asked_of("bytes=5-18446744073709551616", 10) == ByteRange(5, 10));
  CHECK(asked_of("bytes=5-99999999999999999999999999999999999999999", 10) == ByteRange(5, 10));
  CHECK(asked_of("bytes=-18446744073709551617", 10) == ByteRange(0, 10));
  CHECK_FALSE(asked_of("bytes=18446744073709551616-", 10));
  CHECK_FALSE(asked_of("bytes=18446744073709551616-18446744073709551617", 10));
  CHECK(asked_of("bytes=0-9223372036854775807", kFarthest) == ByteRange(0, kFarthest));
  CHECK(asked_of("bytes=9223372036854775806-", kFarthest) == ByteRange(kFarthest - 1, kFarthest));
  CHECK_FALSE(asked_of("bytes=9223372036854775807-", kFarthest));
  CHECK(asked_of("bytes=-9223372036854775807", kFarthest) == ByteRange(0, kFarthest));
}

}  // namespace arkvory
