// SPDX-License-Identifier: Apache-2.0
#include "cli/state_folder.h"

namespace arkvory::cli {

namespace {

std::optional<std::filesystem::path> absolute_variable(const Environment& environment, std::string_view name) {
  auto value = variable(environment, name);
  if (!value) return std::nullopt;
  if (name == "STATE_DIRECTORY") value = value->substr(0, value->find(':'));
  const std::filesystem::path path = *value;
  if (!path.is_absolute()) return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::filesystem::path> state_folder(const std::filesystem::path& option,
                                                  const std::filesystem::path& current,
                                                  const Environment& environment) {
  if (!option.empty()) return (current / option).lexically_normal();
  if (auto given = absolute_variable(environment, "STATE_DIRECTORY")) return given;
  if (auto state = absolute_variable(environment, "XDG_STATE_HOME")) return *state / "arkvory";
  if (auto home = absolute_variable(environment, "HOME")) return *home / ".local/state/arkvory";
  return std::nullopt;
}

}  // namespace arkvory::cli
