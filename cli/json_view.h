// SPDX-License-Identifier: Apache-2.0
// Events for programs: one JSON object a line (client.md, JSON events). Never translated; unknown members may be added
// within version 1.
#pragma once

#include <map>

#include "cli/text_output.h"
#include "core/engine/status.h"

namespace arkvory::cli {

class JsonView final : public Status {
 public:
  JsonView(TextOutput& out, const Clock& clock) : out_(out), clock_(clock) {}

  void started(const std::filesystem::path& target, const StartStatus& start) override;
  void waiting(const std::filesystem::path& target, const WaitStatus& wait) override;
  void progress(const std::filesystem::path& target, const ProgressStatus& progress) override;
  void verifying(const std::filesystem::path& target) override;
  void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) override;
  void finished(const std::filesystem::path& target, const Outcome& outcome) override;
  Duration progress_interval() const override { return std::chrono::seconds(1); }

 private:
  TextOutput& out_;
  const Clock& clock_;
  std::map<std::filesystem::path, Instant> next_progress_;  // targets whose progress was told, and when it may be again
};

}  // namespace arkvory::cli
