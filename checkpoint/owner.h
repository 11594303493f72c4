// SPDX-License-Identifier: Apache-2.0
// Who works on a download: a process that can be told from any later one with the same pid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace arkvory {

struct Owner {
  std::int64_t pid = 0;
  std::string boot_id{};         // /proc/sys/kernel/random/boot_id; empty where unknown
  std::uint64_t start_time = 0;  // in ticks after boot (proc(5), /proc/PID/stat field 22); 0 where unknown
  friend bool operator==(const Owner&, const Owner&) = default;
};

// The machine's processes, as a port.
class ProcessTable {
 public:
  virtual ~ProcessTable() = default;
  virtual Owner self() = 0;
  // When the process with this pid started, in ticks after boot; nothing where there is no such process.
  virtual std::optional<std::uint64_t> start_time(std::int64_t pid) = 0;
  // The process that holds the lock on a file (File::identity); nothing where that can't be told.
  virtual std::optional<std::int64_t> lock_holder(const std::string& identity) = 0;
};

// Same boot, and the pid still belongs to the process that wrote it.
bool is_alive(ProcessTable& processes, const Owner& owner);

// Reads /proc. What can't be read is unknown, never a failure: the lock itself decides.
class SystemProcessTable final : public ProcessTable {
 public:
  // Another root than /proc is for tests.
  explicit SystemProcessTable(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  Owner self() override;
  std::optional<std::uint64_t> start_time(std::int64_t pid) override;
  std::optional<std::int64_t> lock_holder(const std::string& identity) override;

 private:
  std::filesystem::path proc_;
};

}  // namespace arkvory
