// SPDX-License-Identifier: Apache-2.0
// Pseudo-random bytes that can be told at any offset without keeping them: objects of any size for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arkvory::test {

// The bytes of the object `seed` from `offset` on.
void fill_pattern(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> bytes);

// The first `size` bytes of the object `seed`.
std::vector<std::byte> pattern(std::uint64_t seed, std::size_t size);

}  // namespace arkvory::test
