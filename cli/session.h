// SPDX-License-Identifier: Apache-2.0
// What every command works with: the process's world, and how it speaks to the user. The place that joins the parts for
// a run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "cli/environment.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/resume_command.h"
#include "cli/state_access.h"
#include "cli/terminal.h"
#include "cli/views.h"
#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/engine/batch.h"

namespace arkvory::cli {

inline int number(ExitStatus status) { return static_cast<int>(status); }

class Session {
 public:
  Session(Environment environment, std::filesystem::path current, std::filesystem::path state_option);

  const Environment& environment() const { return environment_; }
  const std::filesystem::path& current() const { return current_; }
  const Clock& clock() const { return clock_; }
  FileSystem& files() { return files_; }
  ProcessTable& processes() { return processes_; }
  DescriptorOutput& output() { return output_; }
  DescriptorTerminal& error_output() { return error_; }
  Registry* registry() { return registry_ ? &*registry_ : nullptr; }
  StateAccess state() { return {files_, processes_, registry(), current_}; }
  std::optional<std::filesystem::path> state_folder() const;

  void say(const std::string& text);
  // Says a failure; the status that it ends with.
  int end_with(const Error& error);
  // A target that failed before anything could run: told like any other end.
  int refuse(Status& status, const std::filesystem::path& target, const Error& error);
  Views views_for(const ViewOptions& options);
  // Opens the registry where there is a place for it. Without one the program works on, and says so once.
  Result<void> open_registry(bool quiet);

  // Lets `use` work with all of the world that a run touches; its status. What `watched` tells ends a wait.
  int on_network(const RunOptions& run, Status& status, SignalInterrupt& signals, int watched,
                 const std::function<int(const Platform&)>& use);
  // Runs jobs; the status. Does not come back where a signal ended them.
  int transfer(const RunOptions& run, bool keep_going, Status& status, SignalInterrupt& signals, ResumePlan plan);

  // The status once all has been said: output that could not be written is a failure of its own.
  int closed_with(int status);

 private:
  std::size_t columns() const;

  const Environment environment_;
  const std::filesystem::path current_;
  const std::filesystem::path state_option_;
  SystemClock clock_;
  PosixFileSystem files_;
  SystemProcessTable processes_;
  std::optional<Registry> registry_;
  DescriptorOutput output_;
  DescriptorTerminal error_;
};

// Words that nobody takes don't keep a signal from being answered, as long as this lives.
class GivingWay {
 public:
  GivingWay(const SignalInterrupt& signals, Session& session);
  ~GivingWay();
  GivingWay(const GivingWay&) = delete;
  GivingWay& operator=(const GivingWay&) = delete;

 private:
  Session& session_;
};

}  // namespace arkvory::cli
