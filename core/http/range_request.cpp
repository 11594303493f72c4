// SPDX-License-Identifier: Apache-2.0
#include "core/http/range_request.h"

#include <algorithm>
#include <limits>

#include "core/base/size.h"

namespace arkvory {

namespace {

constexpr std::uint64_t kFarthest = std::numeric_limits<std::int64_t>::max();

// Digits without leading zeros: of two such texts the longer is the larger number, whatever its length.
struct Digits {
  std::string_view text;

  bool operator<(const Digits& other) const {
    return text.size() != other.text.size() ? text.size() < other.text.size() : text < other.text;
  }
  std::uint64_t clamped() const {
    return text.empty() ? 0 : std::min(parse_number(text).value_or(kFarthest), kFarthest);
  }
};

std::optional<Digits> parse_digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return Digits{text};
}

std::optional<SingleRange> parse_single(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto left = text.substr(0, dash);
  const auto right = text.substr(dash + 1);
  const auto last = parse_digits(right);
  if (!last && !right.empty()) return std::nullopt;
  if (left.empty()) return last ? std::optional<SingleRange>(SuffixRange{last->clamped()}) : std::nullopt;

  const auto first = parse_digits(left);
  if (!first) return std::nullopt;
  if (!last) return OpenRange{first->clamped()};
  if (*last < *first) return std::nullopt;
  return ClosedRange{first->clamped(), last->clamped()};
}

RangeRequest parse_set(std::string_view set) {
  std::optional<SingleRange> found;
  bool several = false;
  for (bool more = true; more;) {
    const auto comma = set.find(',');
    const auto element = trimmed(set.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) set.remove_prefix(comma + 1);
    if (element.empty()) continue;
    const auto range = parse_single(element);
    if (!range) return MalformedRange{};
    several = found.has_value();
    if (!found) found = range;
  }
  if (!found) return MalformedRange{};
  if (several) return SeveralRanges{};
  return *found;
}

struct Resolver {
  std::uint64_t size;

  std::optional<ByteRange> operator()(const ClosedRange& range) const {
    return ByteRange::make(range.first, std::min(range.last, size - 1) + 1);
  }
  std::optional<ByteRange> operator()(const OpenRange& range) const { return ByteRange::make(range.first, size); }
  std::optional<ByteRange> operator()(const SuffixRange& range) const {
    return ByteRange::make(size - std::min(range.length, size), size);
  }
};

}  // namespace

RangeRequest parse_range_request(std::string_view text) {
  text = trimmed(text);
  // Up to the first thing that is no unit name: `bytes 0-5` and a bare `bytes` are slips in our unit, not another unit.
  const auto unit_end = std::min(text.find_first_of("= \t"), text.size());
  if (!equal_ignoring_case(text.substr(0, unit_end), "bytes")) return NoRange{};
  if (unit_end == text.size() || text[unit_end] != '=') return MalformedRange{};
  return parse_set(text.substr(unit_end + 1));
}

RangeRequest range_request(const Headers& headers) {
  const auto values = headers.all("Range");
  if (values.empty()) return NoRange{};
  if (values.size() > 1) return MalformedRange{};
  return parse_range_request(values.front());
}

std::optional<ByteRange> resolve(const SingleRange& range, std::uint64_t size) {
  if (size == 0) return std::nullopt;
  return std::visit(Resolver{size}, range);
}

}  // namespace arkvory
