// SPDX-License-Identifier: Apache-2.0
#include "core/base/digest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/base/rng.h"

namespace arkvory {

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.update(bytes_of(text));
  return hash.finish().to_hex();
}

std::string noise(std::size_t size) {
  Rng rng(7);
  std::string text(size, '\0');
  for (auto& c : text) c = static_cast<char>(rng.below(256));
  return text;
}

}  // namespace

TEST_CASE("SHA-256 gives the known values of FIPS 180") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a digest is the same however the bytes were cut") {
  const auto text = noise(100'000);
  Rng rng(8);
  Sha256 hash;
  Xxh3 fast;
  for (std::size_t at = 0; at < text.size();) {
    const auto piece = std::string_view(text).substr(at, rng.below(5000));
    hash.update(bytes_of(piece));
    fast.update(bytes_of(piece));
    at += piece.size();
  }
  CHECK(hash.finish().to_hex() == sha256_hex(text));
  CHECK(fast.value() == xxh3(bytes_of(text)));
}

TEST_CASE("XXH3 gives its known value for nothing, and after a reset") {
  CHECK(xxh3({}) == 0x2D06800538D394C2U);
  Xxh3 fast;
  fast.update(bytes_of("something"));
  CHECK(fast.value() != 0x2D06800538D394C2U);
  fast.reset();
  CHECK(fast.value() == 0x2D06800538D394C2U);
}

TEST_CASE("a hexadecimal digest is read in either case and printed in lower case") {
  const std::string lower = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  auto upper = lower;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  REQUIRE(Sha256Digest::from_hex(lower));
  CHECK(Sha256Digest::from_hex(lower) == Sha256Digest::from_hex(upper));
  CHECK(Sha256Digest::from_hex(upper)->to_hex() == lower);
}

TEST_CASE("what is not 64 hexadecimal digits is no SHA-256 digest") {
  const std::string good(64, 'a');
  CHECK(Sha256Digest::from_hex(good));
  CHECK_FALSE(Sha256Digest::from_hex(""));
  CHECK_FALSE(Sha256Digest::from_hex(good.substr(1)));
  CHECK_FALSE(Sha256Digest::from_hex(good + "a"));
  CHECK_FALSE(Sha256Digest::from_hex(" " + good.substr(1)));
  CHECK_FALSE(Sha256Digest::from_hex(good.substr(1) + "g"));
  CHECK_FALSE(Sha256Digest::from_hex("0x" + good.substr(2)));
}

TEST_CASE("random bits differ from one another") { CHECK(random_128_bits() != random_128_bits()); }

}  // namespace arkvory
