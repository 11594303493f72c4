// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/engine/status.h"

namespace arkvory::cli {

// Tells two views the same: one for programs on stdout, one for people on stderr.
class TwoViews final : public Status {
 public:
  TwoViews(Status& first, Status& second) : first_(first), second_(second) {}

  void started(const std::filesystem::path& target, const StartStatus& start) override {
    first_.started(target, start);
    second_.started(target, start);
  }
  void waiting(const std::filesystem::path& target, const WaitStatus& wait) override {
    first_.waiting(target, wait);
    second_.waiting(target, wait);
  }
  void progress(const std::filesystem::path& target, const ProgressStatus& progress) override {
    first_.progress(target, progress);
    second_.progress(target, progress);
  }
  void verifying(const std::filesystem::path& target) override {
    first_.verifying(target);
    second_.verifying(target);
  }
  void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) override {
    first_.notice(target, code, message);
    second_.notice(target, code, message);
  }
  void finished(const std::filesystem::path& target, const Outcome& outcome) override {
    first_.finished(target, outcome);
    second_.finished(target, outcome);
  }
  // The quicker one's; each view leaves out what comes too often for it.
  Duration progress_interval() const override {
    return std::min(first_.progress_interval(), second_.progress_interval());
  }
  void tick() override {
    first_.tick();
    second_.tick();
  }
  Duration tick_interval() const override { return std::min(first_.tick_interval(), second_.tick_interval()); }

 private:
  Status& first_;
  Status& second_;
};

}  // namespace arkvory::cli
