// SPDX-License-Identifier: Apache-2.0
// How far a search goes: so many worlds or stops in a normal run, ten times that with ARKVORY_FULL=1, a twelfth under
// sanitizers. ARKVORY_WORLDS=N says the number itself, ARKVORY_SEED=N lives through one world alone.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/base/size.h"
#include "tests/sim/world.h"

namespace arkvory::sim {

inline std::optional<std::uint64_t> number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : parse_number(text);
}

inline bool is_full_search() { return number_from("ARKVORY_FULL").value_or(0) != 0; }

// Of how many steps one is taken, where `normal` is what a normal run can afford.
inline std::uint64_t stride(std::uint64_t normal) { return (is_full_search() ? 1 : normal) * kStride; }

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
  if (const auto seed = number_from("ARKVORY_SEED")) return live(*seed, "ARKVORY_SEED");
  const auto worlds = number_from("ARKVORY_WORLDS").value_or((is_full_search() ? 10 * normal : normal) / kStride);
  for (std::uint64_t seed = 1; seed <= worlds; ++seed)
    live(seed, "ARKVORY_SEED=" + std::to_string(seed) + " test_sim -tc='" + test + "*'");
  std::printf("%s: %llu worlds\n", test.c_str(), static_cast<unsigned long long>(worlds));
}

}  // namespace arkvory::sim
