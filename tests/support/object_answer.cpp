// SPDX-License-Identifier: Apache-2.0
#include "tests/support/object_answer.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace arkvory::test {

namespace {

// What a Range header asks of an object of a certain size.
struct Asked {
  bool ignored = true;
  std::optional<ByteRange> range{};  // nothing and not ignored: can't be satisfied
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Asked asked_by(std::string_view text, std::uint64_t size) {
  if (!text.starts_with("bytes=") || text.find(',') != std::string_view::npos) return {};
  text.remove_prefix(6);
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  if (dash == 0) return last ? Asked{false, ByteRange::make(size - std::min(*last, size), size)} : Asked{};
  if (!first || (!last && dash + 1 != text.size())) return {};
  if (last && *last < *first) return {};
  const auto end = last ? std::min(*last, size == 0 ? 0 : size - 1) + 1 : size;
  return {false, ByteRange::make(*first, std::min(end, size))};
}

bool is_strong(const std::optional<std::string>& etag) { return etag && !etag->starts_with("W/"); }

bool condition_holds(const ObjectFacts& object, std::string_view if_range) {
  if (is_strong(object.etag) && if_range == *object.etag) return true;
  return object.last_modified && if_range == *object.last_modified;
}

}  // namespace

ObjectAnswer answer_for(const ObjectFacts& object, const std::string& method, const Headers& request) {
  ObjectAnswer answer;
  if (object.etag) answer.headers.add("ETag", *object.etag);
  if (object.last_modified) answer.headers.add("Last-Modified", *object.last_modified);
  if (object.repr_digest) answer.headers.add("Repr-Digest", *object.repr_digest);
  if (object.ranges) answer.headers.add("Accept-Ranges", "bytes");

  const auto if_match = request.first("If-Match");
  if (if_match && *if_match != "*" && !(is_strong(object.etag) && *if_match == *object.etag)) {
    answer.status = 412;
    answer.headers.add("Content-Length", "0");
    return answer;
  }
  const auto range = request.first("Range");
  const auto if_range = request.first("If-Range");
  const bool honoured = object.ranges && range && method == "GET" && (!if_range || condition_holds(object, *if_range));
  const auto asked = honoured ? asked_by(*range, object.size) : Asked{};
  if (asked.ignored) {
    answer.headers.add("Content-Length", std::to_string(object.size));
    if (method == "GET") answer.bytes = ByteRange::make(0, object.size);
    return answer;
  }
  if (!asked.range) {
    answer.status = 416;
    answer.headers.add("Content-Range", "bytes */" + std::to_string(object.size));
    answer.headers.add("Content-Length", "0");
    return answer;
  }
  answer.status = 206;
  answer.bytes = asked.range;
  answer.headers.add("Content-Range", "bytes " + std::to_string(asked.range->begin()) + "-" +
                                          std::to_string(asked.range->end() - 1) + "/" + std::to_string(object.size));
  answer.headers.add("Content-Length", std::to_string(asked.range->length()));
  return answer;
}

}  // namespace arkvory::test
