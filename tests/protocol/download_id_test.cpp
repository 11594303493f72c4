// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/download_id.h"

#include <doctest/doctest.h>

#include <string>

namespace arkvory {

TEST_CASE("a download id is 16 to 64 characters of its alphabet") {
  CHECK(DownloadId::parse("ABCDEFGHIJKLMNOP"));
  CHECK(DownloadId::parse("abcXYZ012345_-__"));
  CHECK(DownloadId::parse(std::string(64, 'a')));
  for (const auto& text :
       {std::string(), std::string(15, 'a'), std::string(65, 'a'), std::string("ABCDEFGHIJKLMNO "),
        std::string("ABCDEFGHIJKLMNO="), std::string("ABCDEFGHIJKLMNO+"), std::string("ABCDEFGHIJKLMNO/"),
        std::string("ABCDEFGHIJKLMNO\n"), std::string(16, '\0'), std::string("ABCDEFGHIJKLMN\xC3\xA9")}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(DownloadId::parse(text));
  }
}

TEST_CASE("128 bits make an id of 22 characters that is read back") {
  std::array<std::byte, 16> bits{};
  CHECK(DownloadId::from_bits(bits).text() == "AAAAAAAAAAAAAAAAAAAAAA");
  bits.fill(std::byte{0xFF});
  CHECK(DownloadId::from_bits(bits).text() == "_____________________w");
  CHECK(DownloadId::parse(DownloadId::from_bits(bits).text()) == DownloadId::from_bits(bits));
}

}  // namespace arkvory
