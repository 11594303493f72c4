// SPDX-License-Identifier: Apache-2.0
#include "core/base/rfc3339.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace std::chrono;
  const auto moment = arkvory::parse_rfc3339(arkvory::fuzz::as_text(data, size));
  if (!moment) return 0;
  ensure(*moment >= arkvory::WallTime(), "no moment is before 1970");
  const auto text = arkvory::format_rfc3339(*moment);
  ensure(text.size() == 24, "a timestamp has one shape");
  const auto again = arkvory::parse_rfc3339(text);
  ensure(again && *again == floor<milliseconds>(*moment), "what is printed is read as the same millisecond");
  return 0;
}
