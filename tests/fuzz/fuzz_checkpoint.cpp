// SPDX-License-Identifier: Apache-2.0
// The input is taken as a checkpoint as it is, and once more as the lines above a right checksum, so that the fields
// are reached.
#include "checkpoint/checkpoint.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::Fault;

namespace {

void check(std::string_view text) {
  const auto first = arkvory::decode_checkpoint(text, "x");
  if (!first) {
    ensure(first.error().fault == Fault::state, "what is wrong is Fault::state");
    return;
  }
  ensure(!arkvory::is_newer_checkpoint(text), "a newer one is not decoded");
  const auto& progress = first->progress;
  ensure(progress.facts.url.userinfo().empty(), "no userinfo");
  const auto size = progress.facts.object ? progress.facts.object->size.value_or(UINT64_MAX) : UINT64_MAX;
  for (const auto& range : progress.claimed.ranges()) ensure(range.end() <= size, "claims lie within the object");
  const auto written = arkvory::encode_checkpoint(*first);
  const auto again = arkvory::decode_checkpoint(written, "x");
  ensure(again.has_value(), "what is read is written readable");
  ensure(arkvory::encode_checkpoint(*again) == written, "and as the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = arkvory::fuzz::as_text(data, size);
  check(text);
  check(arkvory::seal_checkpoint(std::string(text)));
  return 0;
}
