// SPDX-License-Identifier: Apache-2.0
// Digests: SHA-256 for "these are the right bytes", XXH3 for "this block is as we wrote it".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace arkvory {

// A finished SHA-256 value.
class Sha256Digest {
 public:
  using Bytes = std::array<std::byte, 32>;

  explicit Sha256Digest(const Bytes& bytes) : bytes_(bytes) {}
  // Exactly 64 hexadecimal digits in either case.
  static std::optional<Sha256Digest> from_hex(std::string_view text);

  const Bytes& bytes() const { return bytes_; }
  std::string to_hex() const;  // lower case
  friend bool operator==(const Sha256Digest&, const Sha256Digest&) = default;

 private:
  Bytes bytes_;
};

// SHA-256 over a stream of bytes.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::span<const std::byte> bytes);
  Sha256Digest finish();  // once; afterwards only destruction is allowed

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// 128 random bits from the system's generator, for ids. Aborts where there is none.
std::array<std::byte, 16> random_128_bits();

// 64-bit XXH3 of a whole block.
std::uint64_t xxh3(std::span<const std::byte> bytes);

// XXH3 over a stream of bytes: the value for a block whose bytes arrive in order.
class Xxh3 {
 public:
  Xxh3();
  ~Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;

  void reset();
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arkvory
