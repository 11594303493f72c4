// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/http/content_range.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ContentRange;
using arkvory::ensure;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto parsed = ContentRange::parse(arkvory::fuzz::as_text(data, size));
  if (!parsed) return 0;
  ensure(parsed->range || parsed->total, "a Content-Range tells something");
  if (parsed->range) ensure(parsed->range->end() <= largest, "a range fits into a file offset");
  if (parsed->total) ensure(*parsed->total <= largest, "a total fits into a file offset");
  if (parsed->range && parsed->total) ensure(parsed->range->end() <= *parsed->total, "a range is within its total");
  const auto again = ContentRange::parse(parsed->to_header());
  ensure(again && again->range == parsed->range && again->total == parsed->total,
         "what is printed is read as the same");
  return 0;
}
