// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/queue_notice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/protocol/download_class.h"
#include "core/protocol/header_names.h"
#include "core/protocol/outside_json.h"

namespace arkvory {

namespace {

// No place 0, and none that no queue has.
std::optional<std::uint64_t> place(std::uint64_t number) {
  constexpr std::uint64_t most = 1'000'000'000;
  return number >= 1 && number <= most ? std::optional(number) : std::nullopt;
}

std::optional<WallTime> time_of(const nlohmann::json& value) {
  return value.is_string() ? parse_rfc3339(value.get_ref<const std::string&>()) : std::nullopt;
}

std::optional<WallTime> time_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? std::nullopt : time_of(*found);
}

std::optional<QueueNotice::Span> span_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array() || found->size() != 2) return std::nullopt;
  const auto from = time_of((*found)[0]);
  const auto to = time_of((*found)[1]);
  if (!from || !to || *from > *to) return std::nullopt;
  return QueueNotice::Span{*from, *to};
}

// A class that a server may name is one of ours; anything else is nobody's.
std::string known_class(std::string_view name) {
  return parse_download_class(name) ? std::string(name) : std::string();
}

}  // namespace

QueueNotice QueueNotice::from(const Headers& headers) {
  QueueNotice notice;
  if (const auto text = headers.first(header::kQueuePosition))
    if (const auto number = parse_number(*text)) notice.position = place(*number);
  if (const auto text = headers.first(header::kStartsAt)) notice.starts_at = parse_rfc3339(*text);
  if (const auto text = headers.first(header::kDownloadClass)) notice.download_class = known_class(*text);
  return notice;
}

void QueueNotice::add(std::string_view body) {
  const auto object = parse_outside_json(body);
  if (!object.is_object()) return;
  const auto number = object.find("position");
  if (!position && number != object.end() && number->is_number_unsigned())
    position = place(number->get<std::uint64_t>());
  if (!starts_at) starts_at = time_member(object, "startsAt");
  if (!starts_between) starts_between = span_member(object, "startsBetween");
  if (!check_at) check_at = time_member(object, "checkAt");
  if (reason.empty()) reason = text_member(object, "reason");
  if (download_class.empty()) download_class = known_class(text_member(object, "class"));
}

}  // namespace arkvory
