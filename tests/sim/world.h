// SPDX-License-Identifier: Apache-2.0
// A whole client in virtual time: the real engine and the real checkpoint on a simulated network and disk. A world
// outlives the processes that run in it: they may be killed, and the power may go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/disk_workspace.h"
#include "checkpoint/owner.h"
#include "checkpoint/registry.h"
#include "core/engine/batch.h"
#include "tests/sim/sim_origin.h"
#include "tests/sim/simulated_disk.h"
#include "tests/sim/simulated_network.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory::sim {

// What a run told, in order, as lines of words: `start`, `waiting busy`, `verifying`, `notice CODE`, `end ok`, ….
class EventList final : public Status {
 public:
  std::vector<std::string> lines;
  std::vector<WaitStatus> waits;
  std::optional<Outcome> outcome;  // of the last download that ended

  void started(const std::filesystem::path& target, const StartStatus& start) override;
  void waiting(const std::filesystem::path& target, const WaitStatus& wait) override;
  void progress(const std::filesystem::path& target, const ProgressStatus& progress) override;
  void verifying(const std::filesystem::path& target) override;
  void notice(const std::filesystem::path& target, std::string_view code, std::string_view message) override;
  void finished(const std::filesystem::path& target, const Outcome& ended) override;
  Duration progress_interval() const override { return std::chrono::seconds(1); }

  std::size_t count(std::string_view line) const;
  // All but progress, for a message.
  std::string told() const;
};

// Processes of the simulated machine: exactly one lives, the one that runs now.
class SimProcesses final : public ProcessTable {
 public:
  Owner self() override {
    return {.pid = pid_, .boot_id = "boot-" + std::to_string(boot_), .start_time = static_cast<std::uint64_t>(pid_)};
  }
  std::optional<std::uint64_t> start_time(std::int64_t pid) override {
    return pid == pid_ ? std::optional(self().start_time) : std::nullopt;
  }
  std::optional<std::int64_t> lock_holder(const std::string&) override { return std::nullopt; }
  void next_process() { ++pid_; }
  void next_boot() { ++boot_; }

 private:
  std::int64_t pid_ = 100;
  int boot_ = 1;
};

// One content of the object: pseudo-random bytes, so that any 64 KiB of two versions differ.
struct Version {
  std::uint64_t seed = 1;
  std::uint64_t size = 0;
  std::string bytes() const;
  Sha256Digest digest() const;
};

class World {
 public:
  static constexpr const char* kFolder = "/home";
  static constexpr const char* kTarget = "/home/out.bin";
  static constexpr const char* kPath = "/file";

  explicit World(std::uint64_t seed);

  VirtualClock clock;
  SimulatedDisk disk{kFolder};
  SimulatedNetwork network;
  SimOrigin origin{network, clock, "http://files.example"};
  EventList events;
  SimProcesses processes;
  Rng rng;

  // The object under kPath: `size` pseudo-random bytes.
  void serve(std::uint64_t size, std::uint64_t object_seed = 1);
  std::string object() const;   // its bytes
  Sha256Digest digest() const;  // and their digest
  Job job() const;              // that downloads it to kTarget, with the digest

  // One process, to its end. Nothing where it was stopped in the middle (SimulatedDisk::stop_at).
  std::optional<BatchResult> run(Job wanted);
  // The same for several, `at_once` at a time; a failure keeps none of the others.
  std::optional<BatchResult> run_all(std::vector<Job> wanted, unsigned at_once);
  // How often the client has looked at the world in all runs: each is a wake-up of the process.
  std::uint64_t wakes() const { return network.waits(); }
  // SIGTERM comes at this time of the next run.
  void interrupt_at(Instant time) { interrupt_at_ = time; }
  // The process died with its last file operation; the next one is another.
  void kill();
  // The power went; on the next boot the disk holds what it kept.
  void power_cut(CrashMode mode);

  // Files in the folder, without the state folder's.
  std::vector<std::string> names() const;

 private:
  class SimInterrupt;
  std::uint64_t object_size_ = 0;
  std::uint64_t object_seed_ = 1;
  std::optional<Instant> interrupt_at_;
};

// Checks the three promises as far as one run can break them: a false success, a wrong file under the target's name, a
// stray file beside a success.
void check_promises(const World& world, const BatchResult& result);

}  // namespace arkvory::sim
