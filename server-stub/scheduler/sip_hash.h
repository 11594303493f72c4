// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson, Bernstein 2012): a keyed hash for tables whose keys a client chooses, so that nobody outside
// can make them collide (S1).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace arkvory::server {

struct SipKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

constexpr std::uint64_t sip_hash(const SipKey& key, std::span<const std::byte> bytes) {
  std::uint64_t v0 = key.first ^ 0x736F6D6570736575U;
  std::uint64_t v1 = key.second ^ 0x646F72616E646F6DU;
  std::uint64_t v2 = key.first ^ 0x6C7967656E657261U;
  std::uint64_t v3 = key.second ^ 0x7465646279746573U;
  const auto round = [&] {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  };
  const auto compress = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= static_cast<std::uint64_t>(bytes[i]) << (8 * (i % 8));
    if (i % 8 != 7) continue;
    compress(word);
    word = 0;
  }
  compress(word | static_cast<std::uint64_t>(bytes.size()) << 56U);
  v2 ^= 0xFF;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace arkvory::server
