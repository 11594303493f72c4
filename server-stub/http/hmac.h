// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA-256 (RFC 2104), and comparing what it gives.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace arkvory::server {

// With one key, which is taken in once: that costs more than all else for a short text. Not for several threads at
// once.
class HmacSha256 {
 public:
  explicit HmacSha256(std::span<const std::byte> key);
  ~HmacSha256();
  HmacSha256(HmacSha256&&) noexcept;
  HmacSha256& operator=(HmacSha256&&) noexcept;

  std::array<std::byte, 32> of(std::string_view text) const;

 private:
  struct Keyed;
  std::unique_ptr<Keyed> keyed_;
};

// The time it takes tells the lengths only, not where the texts differ.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace arkvory::server
