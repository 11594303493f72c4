// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/http/entity_tag.h"
#include "tests/fuzz/fuzz_target.h"

using arkvory::ensure;
using arkvory::StrongTag;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = arkvory::fuzz::as_text(data, size);
  const auto tag = StrongTag::parse(text);
  if (!tag) return 0;
  ensure(tag->text() == text, "a tag is kept as sent");
  ensure(text.size() >= 2 && text.front() == '"' && text.back() == '"', "a strong tag is quoted and nothing else");
  ensure(std::count(text.begin(), text.end(), '"') == 2, "a tag is one tag");
  ensure(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7F; }),
         "a tag can't end the header it is sent in");
  ensure(StrongTag::parse(tag->text()) == tag, "what is printed is read as the same");
  return 0;
}
