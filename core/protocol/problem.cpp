// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/problem.h"

#include <nlohmann/json.hpp>

#include "core/protocol/outside_json.h"

namespace arkvory {

namespace {

int status_member(const nlohmann::json& object) {
  const auto found = object.find("status");
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  const auto status = found->get<std::uint64_t>();
  return status >= 100 && status <= 999 ? static_cast<int>(status) : 0;
}

void add_text(nlohmann::ordered_json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

}  // namespace

std::string Problem::to_json() const {
  nlohmann::ordered_json object;
  object["type"] = "about:blank";
  if (status != 0) object["status"] = status;
  add_text(object, "title", title);
  add_text(object, "detail", detail);
  add_text(object, "code", code);
  add_text(object, "reason", reason);
  add_text(object, "field", field);
  if (revision) object["revision"] = *revision;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<Problem> Problem::parse(std::string_view json) {
  const auto object = parse_outside_json(json);
  if (!object.is_object()) return std::nullopt;
  Problem problem;
  problem.status = status_member(object);
  problem.title = text_member(object, "title");
  problem.code = text_member(object, "code");
  problem.reason = text_member(object, "reason");
  problem.detail = text_member(object, "detail");
  problem.field = text_member(object, "field");
  const auto revision = object.find("revision");
  if (revision != object.end() && revision->is_number_unsigned()) problem.revision = revision->get<std::uint64_t>();
  return problem;
}

}  // namespace arkvory
