// SPDX-License-Identifier: Apache-2.0
#include "core/http/range_request.h"
#include "tests/fuzz/fuzz_target.h"

using namespace arkvory;

namespace {

std::string printed(const SingleRange& range) {
  if (const auto* closed = std::get_if<ClosedRange>(&range))
    return "bytes=" + std::to_string(closed->first) + "-" + std::to_string(closed->last);
  if (const auto* open = std::get_if<OpenRange>(&range)) return "bytes=" + std::to_string(open->first) + "-";
  return "bytes=-" + std::to_string(std::get<SuffixRange>(range).length);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto request = parse_range_request(fuzz::as_text(data, size));
  const auto* range = std::get_if<SingleRange>(&request);
  if (range == nullptr) return 0;
  for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, ~std::uint64_t{0} >> 1U}) {
    const auto bytes = resolve(*range, total);
    if (bytes) ensure(bytes->end() <= total, "a range stays within the object");
    const auto* closed = std::get_if<ClosedRange>(range);
    if (bytes && closed) ensure(bytes->length() <= closed->last - closed->first + 1, "no more than was asked for");
  }
  ensure(parse_range_request(printed(*range)) == request, "what is printed is read as the same");
  return 0;
}
