// SPDX-License-Identifier: Apache-2.0
// The three promises, watched over the runs of one download in a world: no wrong byte, no hanging or hammering, nothing
// lost. Each check says with doctest what is broken.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/interval_set.h"
#include "core/engine/job.h"
#include "tests/sim/lies.h"
#include "tests/sim/world.h"

namespace arkvory::sim {

// What may be asked for in a world.
//
// With a digest the target has the bytes of that digest or does not exist, whatever the world does. Without one it has
// the bytes of *one* version that was served under validators of its own, from the first byte to the last, as long as
// the server's lies are of Harm::form or its validators tell too little about bytes that never change. Where bytes
// change under the same name, or come wrong, nothing but a digest could tell: such worlds always give one.
// Comparing what is held looks at 64 KiB and one block: versions that differ only elsewhere are for a digest to tell,
// and versions here differ everywhere.
struct Terms {
  std::vector<std::string> contents{};      // any one of them whole is right
  std::optional<std::string> old_target{};  // stands there from before, until it is replaced
  bool same_bytes = true;  // no wrong byte came and no hand touched the disk: what a record claims is right
  bool is_steady = true;   // the object is one version under strong names: what is held is never begun again
};

class Promises {
 public:
  Promises(World& world, std::filesystem::path target, Terms terms);

  Terms& terms() { return terms_; }
  // Called before and after each run; `result` is what it gave, `kept_all` that the disk did not fail in it.
  void before(const Job& job);
  void after(const Job& job, const std::optional<BatchResult>& result, bool kept_all);
  // A hand or another command has taken away what was held.
  void forget();

  std::uint64_t bytes_claimed() const { return claimed_.total(); }

 private:
  void check_target(const std::optional<BatchResult>& result) const;
  void check_pace(const Job& job) const;
  void check_claims();
  void check_nothing_lost(bool kept_all) const;
  std::size_t notices(const char* line) const { return world_.events.count(line); }

  World& world_;
  std::filesystem::path target_;
  Terms terms_;
  IntervalSet claimed_;  // by the newest record
  // At the beginning of the run.
  std::size_t first_request_ = 0;
  std::size_t comparisons_ = 0;
  std::size_t mendings_ = 0;
  std::size_t changes_ = 0;
  Instant begun_;
};

}  // namespace arkvory::sim
