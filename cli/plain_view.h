// SPDX-License-Identifier: Apache-2.0
// Lines for a log: a change of state is a line, and otherwise at most one comes in 10 s for each target. A change of
// place in the queue alone is no change of state.
#pragma once

#include <map>
#include <optional>

#include "cli/human_lines.h"
#include "cli/progress_line.h"
#include "cli/text_output.h"

namespace arkvory::cli {

class PlainView final : public Status {
 public:
  PlainView(TextOutput& out, const Clock& clock, HumanLines lines)
      : out_(out), clock_(clock), lines_(std::move(lines)) {}

  void started(const std::filesystem::path& target, const StartStatus& start) override;
  void waiting(const std::filesystem::path& target, const WaitStatus& wait) override;
  void progress(const std::filesystem::path& target, const ProgressStatus& progress) override;
  void verifying(const std::filesystem::path& target) override;
  void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) override;
  void finished(const std::filesystem::path& target, const Outcome& outcome) override;
  Duration progress_interval() const override { return std::chrono::seconds(10); }

 private:
  // What the log's reader knows of one target.
  struct Told {
    Phase phase = Phase::starting;
    std::optional<WaitReason> reason{};
    bool knows_place = false;  // while waiting
    Instant next{};            // no line that is only news of the same state before this
    Instant fault{};           // no further line about a fault before this: faults come and go, each is no new state
  };
  Told& told_of(const std::filesystem::path& target);
  void say(const std::filesystem::path& target, Told& told, std::string_view text);

  TextOutput& out_;
  const Clock& clock_;
  HumanLines lines_;
  std::map<std::filesystem::path, Told> told_;
};

}  // namespace arkvory::cli
