// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/status.h"

namespace arkvory::cli {

// Tells another view of a download whose target is no business of the user's, under a name that is.
class RenamedView final : public Status {
 public:
  RenamedView(Status& view, std::filesystem::path name) : view_(view), name_(std::move(name)) {}

  void started(const std::filesystem::path&, const StartStatus& start) override { view_.started(name_, start); }
  void waiting(const std::filesystem::path&, const WaitStatus& wait) override { view_.waiting(name_, wait); }
  void progress(const std::filesystem::path&, const ProgressStatus& progress) override {
    view_.progress(name_, progress);
  }
  void verifying(const std::filesystem::path&) override { view_.verifying(name_); }
  void notice(const std::filesystem::path&, std::string_view code, std::string_view message) override {
    view_.notice(name_, code, message);
  }
  void finished(const std::filesystem::path&, const Outcome& outcome) override { view_.finished(name_, outcome); }
  Duration progress_interval() const override { return view_.progress_interval(); }
  void tick() override { view_.tick(); }
  Duration tick_interval() const override { return view_.tick_interval(); }

 private:
  Status& view_;
  const std::filesystem::path name_;
};

}  // namespace arkvory::cli
