// SPDX-License-Identifier: Apache-2.0
// Searches through worlds. ARKVORY_SEED=N lives through one world alone.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/sim/world.h"
#include "tests/support/search.h"

namespace arkvory::sim {

// How a process ends that does not end by itself.
enum class Ending { kill, keep, drop, tear };

inline void end_process(World& world, Ending ending) {
  switch (ending) {
    case Ending::kill: return world.kill();
    case Ending::keep: return world.power_cut(CrashMode::keep);
    case Ending::drop: return world.power_cut(CrashMode::drop);
    case Ending::tear: return world.power_cut(CrashMode::tear);
  }
}

// Lives through the seeds of a search, or the one that was asked for. `test` begins the name of the TEST_CASE.
template <typename Live>
void live_through_all(const std::string& test, std::uint64_t normal, const Live& live) {
  if (const auto seed = test::number_from("ARKVORY_SEED")) return live(*seed, "ARKVORY_SEED");
  const auto worlds = test::seeds_of_search(normal);
  for (std::uint64_t seed = 1; seed <= worlds; ++seed)
    live(seed, "ARKVORY_SEED=" + std::to_string(seed) + " test_sim -tc='" + test + "*'");
  std::printf("%s: %llu worlds\n", test.c_str(), static_cast<unsigned long long>(worlds));
}

}  // namespace arkvory::sim
