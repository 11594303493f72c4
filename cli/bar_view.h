// SPDX-License-Identifier: Apache-2.0
// One calm line for each running download at the foot of a terminal, and one for all, redrawn at most ten times a
// second. Each is written over the one before and not cleared first, so that nothing flickers; the cursor is never
// hidden, so that nothing has to be restored however the program ends.
#pragma once

#include <vector>

#include "cli/human_lines.h"
#include "cli/progress_rows.h"
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
  // Waits are told with the time that they still take, and the window may have another size by now.
  void tick() override;
  Duration tick_interval() const override { return std::chrono::seconds(1); }

 private:
  LineState& line_of(const std::filesystem::path& target);
  void redraw(bool at_once);
  // Prints a whole line above the rows.
  void print_above(const std::string& line);
  std::string to_first_row() const;
  std::string erased();

  Terminal& terminal_;
  const Clock& clock_;
  HumanLines lines_;
  std::vector<LineState> downloads_;  // in the order in which they began
  std::size_t done_ = 0;              // downloads that have ended well
  std::vector<std::size_t> drawn_;    // columns of the rows on the screen; the cursor stands at the end of the last one
  std::string last_drawn_;            // what is there since the last drawing
  Instant next_drawing_{};
};

}  // namespace arkvory::cli
