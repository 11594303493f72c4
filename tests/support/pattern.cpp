// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pattern.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace arkvory::test {

namespace {

constexpr std::size_t kWord = 8;

// The eight bytes from 8 * `number` on: SplitMix64's output function, so that each is told without the ones before.
// Searches make gigabytes of them.
std::uint64_t word_at(std::uint64_t seed, std::uint64_t number) {
  auto word = (seed + 1) * 0xD1342543DE82EF95U + number * 0x9E3779B97F4A7C15U;
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31U);
}

}  // namespace

void fill_pattern(std::uint64_t seed, std::uint64_t offset, std::span<std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little, "the bytes of a word are stored as they are");
  while (!bytes.empty()) {
    const auto word = word_at(seed, offset / kWord);
    const auto skipped = static_cast<std::size_t>(offset % kWord);
    const auto count = std::min(bytes.size(), kWord - skipped);
    if (count == kWord) {
      std::memcpy(bytes.data(), &word, kWord);
    } else {
      const auto parts = std::bit_cast<std::array<std::byte, kWord>>(word);
      std::copy_n(parts.begin() + static_cast<std::ptrdiff_t>(skipped), count, bytes.begin());
    }
    offset += count;
    bytes = bytes.subspan(count);
  }
}

std::vector<std::byte> pattern(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_pattern(seed, 0, bytes);
  return bytes;
}

}  // namespace arkvory::test
