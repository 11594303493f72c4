// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace arkvory {

namespace {

constexpr std::size_t kLongestBody = 64 * 1024;
constexpr std::size_t kLongestText = 500;
constexpr int kDeepest = 16;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Found before parsing, so that no tree of any depth is ever built.
bool is_deeper_than(std::string_view json, int most) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      if (++depth > most) return true;
    } else if (!in_string && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return false;
}

// What a stranger wrote ends on a terminal and in logs: no controls, C1 ones (U+0080 to U+009F) included.
std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool c1 = text[i] == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    clean.push_back(c1 || is_control(text[i]) ? ' ' : text[i]);
    if (c1) ++i;
  }
  if (clean.size() <= kLongestText) return clean;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0U) == 0x80U) --end;
  clean.resize(end);
  return clean;
}

std::string text_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return printable(found->get_ref<const std::string&>());
}

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
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<Problem> Problem::parse(std::string_view json) {
  if (json.size() > kLongestBody || is_deeper_than(json, kDeepest)) return std::nullopt;
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  Problem problem;
  problem.status = status_member(object);
  problem.title = text_member(object, "title");
  problem.code = text_member(object, "code");
  problem.reason = text_member(object, "reason");
  problem.detail = text_member(object, "detail");
  problem.field = text_member(object, "field");
  return problem;
}

}  // namespace arkvory
