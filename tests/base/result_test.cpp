// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <doctest/doctest.h>

#include <set>

namespace arkvory {

TEST_CASE("each fault has a word of its own") {
  std::set<std::string_view> words;
  int count = 0;
  for (int i = static_cast<int>(Fault::internal); i <= static_cast<int>(Fault::interrupted); ++i) {
    words.insert(to_string(static_cast<Fault>(i)));
    ++count;
  }
  CHECK(words.size() == static_cast<std::size_t>(count));
  CHECK(words.count("unknown") == 0);
}

TEST_CASE("a failure is handed on unchanged, its cause in brackets") {
  const auto inner = []() -> Result<int> { return fail(Fault::local, "cannot write 'x'", "No space left on device"); };
  const auto outer = [&inner]() -> Result<std::string> {
    auto got = inner();
    if (!got) return pass_on(got.error());
    return std::to_string(*got);
  };
  const auto result = outer();
  REQUIRE_FALSE(result);
  CHECK(result.error().fault == Fault::local);
  CHECK(result.error().text() == "cannot write 'x' (No space left on device)");
  CHECK(Error{Fault::busy, "busy"}.text() == "busy");
}

}  // namespace arkvory
