// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/human_lines.h"
#include "cli/text_output.h"

namespace arkvory::cli {

// No progress: notices and endings only, and with `lines.quiet` failures only.
class QuietView final : public Status {
 public:
  QuietView(TextOutput& out, HumanLines lines) : out_(out), lines_(std::move(lines)) {}

  void started(const std::filesystem::path&, const StartStatus&) override {}
  void waiting(const std::filesystem::path&, const WaitStatus&) override {}
  void progress(const std::filesystem::path&, const ProgressStatus&) override {}
  void verifying(const std::filesystem::path&) override {}
  void notice(const std::filesystem::path& target, std::string_view, std::string_view message) override {
    out_.write(lines_.notice(target, message));
  }
  void finished(const std::filesystem::path& target, const Outcome& outcome) override {
    out_.write(lines_.ending(target, outcome));
  }
  Duration progress_interval() const override { return std::chrono::hours(1); }

 private:
  TextOutput& out_;
  HumanLines lines_;
};

}  // namespace arkvory::cli
