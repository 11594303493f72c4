// SPDX-License-Identifier: Apache-2.0
// A process table that tests fill.
#pragma once

#include <map>

#include "checkpoint/owner.h"

namespace arkvory::test {

class FakeProcesses final : public ProcessTable {
 public:
  explicit FakeProcesses(Owner self = Owner{100, "boot-a", 1000}) : self_(std::move(self)) { run(self_); }

  // A process of this boot.
  void run(const Owner& owner) { start_times_[owner.pid] = owner.start_time; }
  void end(std::int64_t pid) { start_times_.erase(pid); }
  void hold_lock(const std::string& identity, std::int64_t pid) { holders_[identity] = pid; }

  Owner self() override { return self_; }
  std::optional<std::uint64_t> start_time(std::int64_t pid) override {
    const auto found = start_times_.find(pid);
    return found == start_times_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::int64_t> lock_holder(const std::string& identity) override {
    const auto found = holders_.find(identity);
    return found == holders_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  Owner self_;
  std::map<std::int64_t, std::uint64_t> start_times_;
  std::map<std::string, std::int64_t> holders_;
};

}  // namespace arkvory::test
