// SPDX-License-Identifier: Apache-2.0
#include "core/http/content_range.h"

#include <limits>

#include "core/base/size.h"
#include "core/http/headers.h"

namespace arkvory {

namespace {

// So that every position, and one past the last, fits into a signed file offset.
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::optional<ByteRange> parse_inclusive(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1));
  if (!first || !last || *last >= kLargest) return std::nullopt;
  return ByteRange::make(*first, *last + 1);
}

}  // namespace

std::optional<ContentRange> ContentRange::parse(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (!equal_ignoring_case(text.substr(0, unit.size()), unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto range_text = text.substr(0, slash);
  const auto total_text = text.substr(slash + 1);

  ContentRange parsed;
  if (total_text != "*") {
    parsed.total = parse_number(total_text);
    if (!parsed.total || *parsed.total > kLargest) return std::nullopt;
  }
  if (range_text == "*") return parsed.total ? std::optional(parsed) : std::nullopt;
  parsed.range = parse_inclusive(range_text);
  if (!parsed.range || (parsed.total && parsed.range->end() > *parsed.total)) return std::nullopt;
  return parsed;
}

std::string ContentRange::to_header() const {
  std::string text = "bytes ";
  text += range ? std::to_string(range->begin()) + "-" + std::to_string(range->end() - 1) : "*";
  text += "/";
  text += total ? std::to_string(*total) : "*";
  return text;
}

}  // namespace arkvory
