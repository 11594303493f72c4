// SPDX-License-Identifier: Apache-2.0
#include "cli/bar_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace arkvory::cli {

namespace {

constexpr std::string_view kEraseBelow = "\x1b[J";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

}  // namespace

// A download that the answer names has its folder for a target until then: its row takes the name.
LineState& BarView::line_of(const std::filesystem::path& target) {
  const auto has_target = [](const std::filesystem::path& path) {
    return [&path](const Row& row) { return row.target == path; };
  };
  auto found = std::find_if(rows_.begin(), rows_.end(), has_target(target));
  if (found != rows_.end()) return found->line;
  found = std::find_if(rows_.begin(), rows_.end(), has_target(target.parent_path()));
  if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{});
  found->target = target;
  found->line.name = lines_.name(target);
  return found->line;
}

// Brings the cursor to the first row's beginning and clears from there.
std::string BarView::erased() {
  if (drawn_ == 0) return {};
  std::string text = "\r";
  if (drawn_ > 1) text += fmt::format("\x1b[{}A", drawn_ - 1);
  drawn_ = 0;
  return text.append(kEraseBelow);
}

void BarView::redraw(bool at_once) {
  const auto now = clock_.now();
  if (!at_once && now < next_drawing_) return;
  next_drawing_ = now + progress_interval();
  if (!terminal_.in_foreground()) return;
  // The last column stays free: some terminals wrap as soon as it is written.
  const auto width = terminal_.width() - 1;
  auto text = erased();
  for (const auto& row : rows_) {
    if (drawn_ > 0) text += "\n";
    const auto line = progress_line(width, row.line);
    const bool marked = lines_.color && row.line.phase == Phase::waiting;
    if (marked) text += kYellow;
    text += line;
    if (marked) text += kPlain;
    ++drawn_;
  }
  terminal_.write(text);
}

void BarView::print_above(const std::string& line) {
  if (!line.empty()) terminal_.write(erased() + line);
  redraw(true);
}

void BarView::started(const std::filesystem::path& target, const StartStatus& start) {
  rows_.push_back({target, {.name = lines_.name(target), .progress = {.bytes = start.bytes, .total = start.total}}});
  redraw(true);
}

void BarView::waiting(const std::filesystem::path& target, const WaitStatus& wait) {
  auto& line = line_of(target);
  const bool is_new = line.phase != Phase::waiting;
  line.phase = Phase::waiting;
  line.waiting_text = waiting_text(wait, clock_.wall_now());
  redraw(is_new);
}

void BarView::progress(const std::filesystem::path& target, const ProgressStatus& progress) {
  auto& line = line_of(target);
  line.phase = Phase::transferring;
  line.progress = progress;
  redraw(false);
}

void BarView::verifying(const std::filesystem::path& target) {
  line_of(target).phase = Phase::verifying;
  redraw(true);
}

void BarView::notice(const std::filesystem::path& target, std::string_view, std::string_view message) {
  print_above(lines_.notice(target, message));
}

void BarView::finished(const std::filesystem::path& target, const Outcome& outcome) {
  if (outcome.is_of_earlier_run) return;
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&target](const Row& row) { return row.target == target; });
  if (found != rows_.end()) rows_.erase(found);
  const auto line = lines_.ending(target, outcome);
  if (line.empty()) {
    terminal_.write(erased());
    return redraw(true);
  }
  print_above(line);
}

}  // namespace arkvory::cli
