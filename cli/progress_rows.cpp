// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/safe_text.h"

namespace arkvory::cli {

namespace {

// The total is known where that of all is: a sum of some would be passed by what is held.
ProgressStatus summed(std::span<const LineState> downloads) {
  ProgressStatus sum{.total = 0};
  for (const auto& each : downloads) {
    sum.bytes += each.progress.bytes;
    if (each.phase == Phase::transferring) sum.rate += each.progress.rate;
    sum.total = sum.total && each.progress.total ? std::optional(*sum.total + *each.progress.total) : std::nullopt;
  }
  return sum;
}

std::string counted(std::span<const LineState> downloads, std::size_t shown, std::size_t done) {
  const auto waiting = std::ranges::count(downloads, Phase::waiting, &LineState::phase);
  auto text = fmt::format("{} files", downloads.size());
  if (waiting > 0) text += fmt::format(", {} waiting", waiting);
  if (shown < downloads.size()) text += fmt::format(", {} not shown", downloads.size() - shown);
  if (done > 0) text += fmt::format(", {} done", done);
  return text;
}

}  // namespace

std::vector<ProgressRow> progress_rows(ScreenSize screen, std::span<const LineState> downloads, std::size_t done) {
  // The last column stays free: some terminals wrap as soon as it is written.
  const auto width = screen.columns - 1;
  const bool has_sum = downloads.size() > 1;
  const auto room = std::max<std::size_t>(screen.lines, 3) - 1 - (has_sum ? 1 : 0);
  const auto shown = downloads.first(std::min(downloads.size(), room));
  std::vector<ProgressRow> rows;
  for (const auto& each : shown) rows.push_back({progress_line(width, each), each.phase == Phase::waiting});
  if (!has_sum) return rows;
  const LineState sum{
      .name = counted(downloads, shown.size(), done), .phase = Phase::transferring, .progress = summed(downloads)};
  const bool moves = std::ranges::any_of(downloads, [](const LineState& each) { return each.progress.bytes > 0; });
  rows.push_back({moves ? progress_line(width, sum) : shortened(sum.name, width), false});
  return rows;
}

}  // namespace arkvory::cli
