// SPDX-License-Identifier: Apache-2.0
// Runs downloads: owns the client's one loop and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/base/rng.h"
#include "core/engine/digest_worker.h"
#include "core/engine/interrupt.h"
#include "core/engine/job.h"
#include "core/engine/progress_log.h"
#include "core/engine/status.h"
#include "core/http/transport.h"

namespace arkvory {

// Everything of the world that a run touches.
struct Platform {
  using RandomBits = std::array<std::byte, 16>;

  Clock& clock;
  FileSystem& files;
  Transport& transport;
  Workspace& workspace;
  DigestWorker& digests;
  Status& status;
  Interrupt& interrupt;
  Rng& rng;                            // for jitter
  std::function<RandomBits()> new_id;  // for download ids, which nobody may guess
};

// What a source of jobs has to give when a place is free.
namespace supply {
// A job to begin. `number` is the source's own name for it.
struct Entry {
  Job job;
  std::uint64_t number = 0;
};
// An entry that has ended before it could begin: a faulty one, or one that an earlier run has done.
struct Settled {
  std::filesystem::path target;
  Outcome outcome{};
};
// Nothing now. When there is something, the transport's wait ends.
struct Later {};
struct Over {};
}  // namespace supply
using Supply = std::variant<supply::Entry, supply::Settled, supply::Later, supply::Over>;

// Gives the jobs of a run, in the order in which they begin.
class JobSource {
 public:
  virtual ~JobSource() = default;
  // Asked only when a place is free, so a long list needs no memory. Never waits.
  virtual Supply next() = 0;
  // An entry has ended, with the target that it was given in the end.
  virtual void ended(std::uint64_t /*number*/, const std::filesystem::path& /*target*/, const Outcome& /*outcome*/) {}
};

// What remains of a run: how many ended well or not, and the failures by kind.
struct BatchResult {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::vector<Error> failures{};  // the first of each Fault
  int signal = 0;                 // the run was ended by it; 0: it ran to its end
};

// Runs jobs, at most `at_once` together, until there are no more or the user interrupts. Every outcome is told to
// `platform.status`. With `keep_going` false the first failure keeps further jobs from beginning; running ones end.
BatchResult run_batch(const Platform& platform, JobSource& jobs, unsigned at_once, bool keep_going);

}  // namespace arkvory
