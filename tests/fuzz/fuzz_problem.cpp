// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/utf8.h"
#include "core/protocol/problem.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::Problem;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto problem = Problem::parse(arkvory::fuzz::as_text(data, size));
  if (!problem) return 0;
  for (const auto* text : {&problem->title, &problem->code, &problem->reason, &problem->detail, &problem->field}) {
    ensure(text->size() <= 500, "a text has an end");
    ensure(arkvory::is_utf8(*text), "a text is UTF-8");
    auto rest = std::string_view(*text);
    while (!rest.empty()) {
      const auto c = arkvory::take_utf8(rest);
      ensure(c >= 0x20 && (c < 0x7F || c > 0x9F), "a text has no controls");
    }
  }
  ensure(problem->status == 0 || (problem->status >= 100 && problem->status <= 999), "a status is one");
  const auto json = problem->to_json();
  const auto again = Problem::parse(json);
  ensure(again && again->to_json() == json, "what is printed is read as the same");
  return 0;
}
