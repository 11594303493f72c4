// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pattern.h"

#include "core/base/rng.h"

namespace arkvory::test {

void fill_pattern(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> bytes) {
  std::uint64_t word = 0;
  std::uint64_t word_number = UINT64_MAX;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto at = offset + i;
    if (at / 8 != word_number) {
      word_number = at / 8;
      word = Rng(seed * 0x9E3779B97F4A7C15U + word_number).next();
    }
    bytes[i] = static_cast<std::byte>(word >> (8 * (at % 8)));
  }
}

std::vector<std::byte> pattern(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_pattern(seed, 0, bytes);
  return bytes;
}

}  // namespace arkvory::test
