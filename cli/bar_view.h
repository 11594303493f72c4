// SPDX-License-Identifier: Apache-2.0
// One calm line for each running download at the foot of a terminal, redrawn at most ten times a second. The cursor is
// never hidden, so nothing has to be restored however the program ends.
#pragma once

#include <vector>

#include "cli/human_lines.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"

namespace arkvory::cli {

class BarView final : public Status {
 public:
  BarView(Terminal& terminal, const Clock& clock, HumanLines lines)
      : terminal_(terminal), clock_(clock), lines_(std::move(lines)) {}

  void started(const std::filesystem::path& target, const StartStatus& start) override;
  void waiting(const std::filesystem::path& target, const WaitStatus& wait) override;
  void progress(const std::filesystem::path& target, const ProgressStatus& progress) override;
  void verifying(const std::filesystem::path& target) override;
  void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) override;
  void finished(const std::filesystem::path& target, const Outcome& outcome) override;
  Duration progress_interval() const override { return std::chrono::milliseconds(100); }

 private:
  struct Row {
    std::filesystem::path target;
    LineState line;
  };
  LineState& line_of(const std::filesystem::path& target);
  void redraw(bool at_once);
  // Prints a whole line above the rows.
  void print_above(const std::string& line);
  std::string erased();

  Terminal& terminal_;
  const Clock& clock_;
  HumanLines lines_;
  std::vector<Row> rows_;  // in the order in which they began
  std::size_t drawn_ = 0;  // rows on the screen; the cursor stands at the end of the last one
  Instant next_drawing_{};
};

}  // namespace arkvory::cli
