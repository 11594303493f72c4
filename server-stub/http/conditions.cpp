// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/conditions.h"

#include <optional>
#include <string_view>

#include "core/http/http_date.h"

namespace arkvory::server {
namespace {

struct ListedTag {
  bool is_weak = false;
  std::string_view text;  // with quotes
};

bool is_tag_character(char c) { return c == '!' || (c > '"' && c != 0x7F) || static_cast<unsigned char>(c) >= 0x80; }

// Takes one entity tag from the front, or nothing.
std::optional<ListedTag> take_tag(std::string_view& list) {
  ListedTag tag;
  if (list.starts_with("W/")) {
    tag.is_weak = true;
    list.remove_prefix(2);
  }
  if (list.empty() || list.front() != '"') return std::nullopt;
  std::size_t end = 1;
  while (end < list.size() && is_tag_character(list[end])) ++end;
  if (end == list.size() || list[end] != '"') return std::nullopt;
  tag.text = list.substr(0, end + 1);
  list.remove_prefix(end + 1);
  return tag;
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// Whether one value of If-Match or If-None-Match names the object. Nothing where the list is malformed.
std::optional<bool> names(std::string_view list, const Validators& object, bool weak_counts) {
  bool is_named = false;
  for (;;) {
    skip_spaces(list);
    if (list.empty()) return is_named;
    if (list.front() == ',') {  // empty elements are allowed (§5.6.1.2)
      list.remove_prefix(1);
      continue;
    }
    const auto tag = take_tag(list);
    if (!tag) return std::nullopt;
    if (tag->text == object.tag && (weak_counts || !tag->is_weak)) is_named = true;
    skip_spaces(list);
    if (!list.empty() && list.front() != ',') return std::nullopt;
  }
}

bool any_names(const Headers& request, std::string_view field, const Validators& object, bool weak_counts) {
  bool is_named = false;
  for (const auto value : request.all(field)) {
    if (value == "*") return true;
    const auto found = names(value, object, weak_counts);
    if (!found) return false;
    is_named = is_named || *found;
  }
  return is_named;
}

// The one date of a field; nothing where there is none, where it is no date, or where there are several.
std::optional<WallTime> date_of(const Headers& request, std::string_view field, WallTime now) {
  const auto values = request.all(field);
  if (values.size() != 1) return std::nullopt;
  return parse_http_date(values.front(), now);
}

bool fails(const Headers& request, const Validators& object, WallTime now) {
  if (request.has("If-Match")) return !any_names(request, "If-Match", object, false);
  const auto since = date_of(request, "If-Unmodified-Since", now);
  return since && object.last_modified > *since;
}

bool is_not_modified(const Headers& request, const Validators& object, WallTime now) {
  if (request.has("If-None-Match")) return any_names(request, "If-None-Match", object, true);
  const auto since = date_of(request, "If-Modified-Since", now);
  return since && object.last_modified <= *since;
}

}  // namespace

Precondition evaluate(const Headers& request, const Validators& object, WallTime now) {
  if (fails(request, object, now)) return Precondition::failed;
  if (is_not_modified(request, object, now)) return Precondition::not_modified;
  return Precondition::proceed;
}

bool range_applies(const Headers& request, const Validators& object, WallTime now) {
  const auto values = request.all("If-Range");
  if (values.empty()) return true;
  if (values.size() != 1) return false;
  const auto value = values.front();
  if (value.starts_with('"') || value.starts_with("W/")) return value == object.tag;
  const auto date = parse_http_date(value, now);
  return date && *date == object.last_modified && now - object.last_modified >= std::chrono::seconds(1);
}

}  // namespace arkvory::server
