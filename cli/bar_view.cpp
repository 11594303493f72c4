// SPDX-License-Identifier: Apache-2.0
#include "cli/bar_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/safe_text.h"

namespace arkvory::cli {

namespace {

constexpr std::string_view kEraseBelow = "\x1b[J";
constexpr std::string_view kEraseRight = "\x1b[K";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

}  // namespace

// A download that the answer names has its folder for a target until then: its row takes the name.
LineState& BarView::line_of(const std::filesystem::path& target) {
  auto found = std::ranges::find(downloads_, target, &LineState::target);
  if (found != downloads_.end()) return *found;
  found = std::ranges::find(downloads_, target.parent_path(), &LineState::target);
  if (found == downloads_.end()) found = downloads_.insert(downloads_.end(), LineState{});
  found->target = target;
  found->name = lines_.name(target);
  return *found;
}

// A window that became narrower has wrapped the rows: each stands on as many lines as it needs now.
std::string BarView::to_first_row() const {
  if (drawn_.empty()) return {};
  const auto columns = terminal_.size().columns;
  std::size_t lines = 0;
  for (const auto width : drawn_) lines += std::max<std::size_t>((width + columns - 1) / columns, 1);
  return lines > 1 ? fmt::format("\r\x1b[{}A", lines - 1) : "\r";
}

// Brings the cursor to the first row's beginning and clears from there.
std::string BarView::erased() {
  if (drawn_.empty()) return {};
  auto text = to_first_row();
  drawn_.clear();
  last_drawn_.clear();
  return text.append(kEraseBelow);
}

void BarView::redraw(bool at_once) {
  const auto now = clock_.now();
  if (!at_once && now < next_drawing_) return;
  next_drawing_ = now + progress_interval();
  if (!terminal_.in_foreground()) return;
  for (auto& each : downloads_)
    if (each.phase == Phase::waiting) each.waiting_text = waiting_text(each.wait, clock_.wall_now());
  const auto first_row = to_first_row();
  const bool is_over = !first_row.empty();
  std::vector<std::size_t> widths;
  std::string text;
  for (const auto& row : progress_rows(terminal_.size(), downloads_, done_)) {
    if (!widths.empty()) text += "\n";
    const bool is_marked = lines_.color && row.is_waiting;
    if (is_marked) text += kYellow;
    text += row.text;
    if (is_marked) text += kPlain;
    if (is_over) text += kEraseRight;
    widths.push_back(display_width(row.text));
  }
  if (is_over) text += kEraseBelow;
  drawn_ = std::move(widths);
  if (const auto drawing = first_row + text; drawing != last_drawn_) terminal_.write(last_drawn_ = drawing);
}

void BarView::tick() {
  if (!downloads_.empty()) redraw(false);
}

void BarView::print_above(const std::string& line) {
  if (!line.empty()) terminal_.write(erased() + line);
  redraw(true);
}

void BarView::started(const std::filesystem::path& target, const StartStatus& start) {
  auto name = start.likely_name.empty() ? lines_.name(target) : printable_line(start.likely_name);
  downloads_.push_back(
      {.target = target, .name = std::move(name), .progress = {.bytes = start.bytes, .total = start.total}});
  redraw(true);
}

void BarView::waiting(const std::filesystem::path& target, const WaitStatus& wait) {
  auto& line = line_of(target);
  const bool is_new = line.phase != Phase::waiting;
  line.phase = Phase::waiting;
  line.wait = wait;
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
  const auto found = std::ranges::find(downloads_, target, &LineState::target);
  if (found != downloads_.end()) downloads_.erase(found);
  if (!outcome.error) ++done_;
  const auto line = lines_.ending(target, outcome);
  if (line.empty()) {
    terminal_.write(erased());
    return redraw(true);
  }
  print_above(line);
}

}  // namespace arkvory::cli
