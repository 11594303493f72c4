// SPDX-License-Identifier: Apache-2.0
// Reads the text format 0.0.4 as strictly as those who wrote it down: a family's HELP and TYPE once and first, its
// samples together, no series twice, whole histograms; and the conventions for names and units.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arkvory::test {

struct Exposition {
  // A name and its labels, sorted.
  using Series = std::pair<std::string, std::map<std::string, std::string>>;

  std::map<Series, double> samples{};
  std::map<std::string, std::string> types{};
  std::vector<std::string> problems{};  // each names its line

  std::optional<double> value(const std::string& name, const std::map<std::string, std::string>& labels = {}) const {
    const auto found = samples.find({name, labels});
    return found == samples.end() ? std::nullopt : std::optional(found->second);
  }
};

Exposition read_exposition(std::string_view text);

}  // namespace arkvory::test
