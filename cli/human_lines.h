// SPDX-License-Identifier: Apache-2.0
// The whole lines that every view for people prints alike: notices and endings.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/engine/status.h"

namespace arkvory::cli {

struct HumanLines {
  std::filesystem::path current;  // targets in this folder are shown by their name alone
  bool quiet = false;             // -q: nothing but failures
  bool color = false;

  // Each is a whole line with its end, or empty where nothing is to be said.
  std::string notice(const std::filesystem::path& target, std::string_view message) const;
  std::string ending(const std::filesystem::path& target, const Outcome& outcome) const;
  std::string name(const std::filesystem::path& target) const;
};

}  // namespace arkvory::cli
