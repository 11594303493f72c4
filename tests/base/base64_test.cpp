// SPDX-License-Identifier: Apache-2.0
#include "core/base/base64.h"

#include <doctest/doctest.h>

#include <string>

#include "core/base/rng.h"

namespace arkvory {

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

}  // namespace

TEST_CASE("base 64 gives the vectors of RFC 4648 section 10, both ways") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& row : vectors) {
    const auto& plain = row.first;
    const auto& encoded = row.second;
    CAPTURE(std::string(plain));
    CHECK(to_base64(bytes_of(plain)) == encoded);
    CHECK(from_base64(encoded) == bytes_of(plain));
  }
}

TEST_CASE("base 64 for URLs has an alphabet of its own and no padding") {
  const std::vector<std::byte> bytes(4, std::byte{0xFB});
  CHECK(to_base64(bytes) == "+/v7+w==");
  CHECK(to_base64url(bytes) == "-_v7-w");
}

TEST_CASE("base 64 without padding or with bits left over is read as RFC 8941 asks") {
  CHECK(from_base64("Zm8") == bytes_of("fo"));
  CHECK(from_base64("Zm9=") == bytes_of("fo"));
}

TEST_CASE("what is no base 64 is refused") {
  for (const char* text :
       {"Z", "Zg=", "Z===", "=", "====", "Zg==Zg==", "Zm9v=", "Zm9 v", "Zm9-", "Zm9v\n", "Zm\xC3\xA9="}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(from_base64(text));
  }
}

TEST_CASE("base 64 brings any bytes back") {
  Rng rng(1);
  for (std::size_t length = 0; length < 200; ++length) {
    std::vector<std::byte> bytes(length);
    for (auto& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
    CHECK(from_base64(to_base64(bytes)) == bytes);
  }
}

}  // namespace arkvory
