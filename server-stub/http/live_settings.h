// SPDX-License-Identifier: Apache-2.0
// The settings in force: what flags and environment say, with the stored overrides on top (protocol.md §5). Read
// leniently: fields of a newer version are skipped; where a known one is out of range, the environment's values are in
// force and the problem says so.
#pragma once

#include <string>

#include "core/base/result.h"
#include "server-stub/scheduler/settings.h"
#include "server-stub/store/settings_store.h"

namespace arkvory::server {

// A record with what it means.
struct UnderstoodSettings {
  SettingsRecord record{};
  SchedulerSettings settings{};  // to be in force
  std::string problem{};         // why these are the environment's; empty where they are as stored
};

// What is stored, over the environment's values. May wait for the disk: windows have time zones.
UnderstoodSettings understand(const SchedulerSettings& environment, const SettingsRecord& record);

class LiveSettings {
 public:
  explicit LiveSettings(const SchedulerSettings& environment) : environment_(environment), in_force_(environment) {}

  // What the store holds, or why that can't be known: then all stays as it is. True where a newer revision than the
  // running one was taken.
  bool take(const Result<UnderstoodSettings>& stored);

  const SchedulerSettings& environment() const { return environment_; }
  const SchedulerSettings& in_force() const { return in_force_; }
  const SettingsRecord& record() const { return record_; }
  // One line; empty where there is none.
  std::string problem() const { return store_problem_.empty() ? record_problem_ : store_problem_; }
  bool is_store_failing() const { return is_store_failing_; }

  // `revision`, `effective`, `environment`, `overrides`, `updatedBy`, `updatedAt`, `admission` (`session` or
  // `per-request`), `problem` (a text or null).
  std::string to_json() const;

 private:
  const SchedulerSettings environment_;
  SchedulerSettings in_force_;
  SettingsRecord record_{};       // that is in force, or can't be
  std::string record_problem_{};  // of this record
  std::string store_problem_{};   // of the last look into the store
  bool is_store_failing_ = false;
};

}  // namespace arkvory::server
