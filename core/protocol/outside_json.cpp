// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/outside_json.h"

#include <nlohmann/json.hpp>

#include "core/protocol/problem.h"

namespace arkvory {

namespace {

constexpr std::size_t kLongestText = 500;
constexpr int kDeepest = 16;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

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

// No controls, C1 ones (U+0080 to U+009F) included.
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

}  // namespace

nlohmann::json parse_outside_json(std::string_view text) {
  if (text.size() > kLongestProblem || is_deeper_than(text, kDeepest)) return {};
  return nlohmann::json::parse(text, nullptr, false);
}

std::string text_member(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return printable(found->get_ref<const std::string&>());
}

}  // namespace arkvory
