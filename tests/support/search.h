// SPDX-License-Identifier: Apache-2.0
// How far a search goes: so many seeds or stops in a normal run, ten times that with ARKVORY_FULL=1, few of them under
// sanitizers. ARKVORY_WORLDS=N says the number itself.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "core/base/size.h"

namespace arkvory::test {

// Searches take one of so many steps: all of them, but for builds that a sanitizer makes slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kStride = 24;
#else
inline constexpr std::uint64_t kStride = 1;
#endif

inline std::optional<std::uint64_t> number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : parse_number(text);
}

inline bool is_full_search() { return number_from("ARKVORY_FULL").value_or(0) != 0; }

// Of how many steps one is taken, where `normal` is what a normal run can afford.
inline std::uint64_t stride(std::uint64_t normal) { return (is_full_search() ? 1 : normal) * kStride; }

// How many seeds a search has, `normal` of them in a normal run.
inline std::uint64_t seeds_of_search(std::uint64_t normal) {
  return number_from("ARKVORY_WORLDS").value_or((is_full_search() ? 10 * normal : normal) / kStride);
}

}  // namespace arkvory::test
