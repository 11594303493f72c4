// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <algorithm>
#include <vector>

namespace arkvory::cli {

namespace {

// Optimal string alignment, three rows at a time.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
  std::optional<std::string> best;
  auto least = std::min<std::size_t>(3, std::max<std::size_t>(1, typed.size() / 3)) + 1;
  for (const auto& word : known) {
    const auto distance = edit_distance(typed, word);
    if (distance >= least) continue;
    least = distance;
    best = word;
  }
  return best;
}

}  // namespace arkvory::cli
