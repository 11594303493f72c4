// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace arkvory::cli {

// The process's environment as a value.
using Environment = std::map<std::string, std::string, std::less<>>;

// A variable that is set and not empty.
inline std::optional<std::string> variable(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

// `NAME=value` texts ended by a null, as main gets them; the first of a doubled name counts.
inline Environment environment_from(char* const* texts) {
  Environment environment;
  for (; *texts != nullptr; ++texts) {
    const std::string_view text = *texts;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace arkvory::cli
