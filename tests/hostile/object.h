// SPDX-License-Identifier: Apache-2.0
// What the hostile servers serve: A of hostile-cases.md in its sizes, and what a case needs to tell it from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arkvory::hostile {

inline constexpr std::uint64_t kSmall = 4'195'081;  // N of the page
inline constexpr std::uint64_t kHalf = kSmall / 2;
// What heads and a piece on its way may add to bytes that are counted.
inline constexpr std::uint64_t kSlack = 100'000;

struct Object {
  std::vector<std::byte> bytes;
  std::string sha256;  // hexadecimal
  std::uint64_t size() const { return bytes.size(); }
};

// kSmall bytes.
const Object& small_object();
// BIG = 50,332,425 bytes: six ranges of 8 MiB and a rest.
const Object& big_object();
// As many bytes as the small one, all others.
const Object& other_object();
// The small one as gzip packs it.
const Object& packed_object();
const Object& empty_object();

// The big object goes on so where it grows.
std::vector<std::byte> grown_object(std::size_t size);

std::string sha256_of(const std::vector<std::byte>& bytes);

}  // namespace arkvory::hostile
