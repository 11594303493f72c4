// SPDX-License-Identifier: Apache-2.0
#include "core/http/entity_tag.h"

#include <algorithm>

namespace arkvory {

namespace {

// etagc: everything visible but the quote, and bytes above 0x7F.
bool may_stand_in_tag(char c) { return c != '"' && c != 0x7F && static_cast<unsigned char>(c) > 0x20; }

}  // namespace

std::optional<StrongTag> StrongTag::parse(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
  const auto inside = text.substr(1, text.size() - 2);
  if (!std::all_of(inside.begin(), inside.end(), may_stand_in_tag)) return std::nullopt;
  return StrongTag(std::string(text));
}

}  // namespace arkvory
