// SPDX-License-Identifier: Apache-2.0
#include "core/http/headers.h"

#include <algorithm>
#include <utility>

namespace arkvory {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(fields_, [&](const Field& field) { return equal_ignoring_case(field.name, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::first(std::string_view name) const {
  for (const auto& field : fields_)
    if (equal_ignoring_case(field.name, name)) return trimmed(field.value);
  return std::nullopt;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& field : fields_)
    if (equal_ignoring_case(field.name, name)) values.push_back(trimmed(field.value));
  return values;
}

}  // namespace arkvory
