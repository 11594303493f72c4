// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/header_block.h"

#include <doctest/doctest.h>

#include <string>

using namespace arkvory;
using server::BlockState;
using server::inspect;
using server::kLongestHeaderBlock;
using server::kLongestTarget;

namespace {

// A whole block of exactly so many bytes.
std::string block_of(std::size_t length) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  return begin + std::string(length - begin.size() - 4, 'x') + "\r\n\r\n";
}

std::string block_with_target(std::size_t length) {
  return "GET " + std::string(length, 't') + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

}  // namespace

TEST_CASE("a header block ends at its empty line, and what follows is left alone") {
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const auto block = inspect(first + "GET /second");
  CHECK(block.state == BlockState::complete);
  CHECK(block.begin == 0);
  CHECK(block.end == first.size());
}

TEST_CASE("every beginning of a good block is incomplete") {
  const std::string whole = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(inspect(std::string_view(whole).substr(0, length)).state == BlockState::incomplete);
  }
  const auto block = inspect(whole);
  CHECK(block.state == BlockState::complete);
  CHECK(block.begin == 2);
  CHECK(block.end == whole.size());
}

TEST_CASE("a header block has at most 8 KiB (L1)") {
  CHECK(inspect(block_of(kLongestHeaderBlock)).state == BlockState::complete);
  CHECK(inspect(block_of(kLongestHeaderBlock + 1)).state == BlockState::block_too_long);
  CHECK(inspect(block_of(kLongestHeaderBlock + 1).substr(0, kLongestHeaderBlock)).state == BlockState::block_too_long);
  CHECK(inspect(block_of(kLongestHeaderBlock).substr(0, kLongestHeaderBlock - 1)).state == BlockState::incomplete);
}

TEST_CASE("a target has at most 4 KiB, whether or not its line has ended") {
  CHECK(inspect(block_with_target(kLongestTarget)).state == BlockState::complete);
  CHECK(inspect(block_with_target(kLongestTarget + 1)).state == BlockState::target_too_long);
  CHECK(inspect("GET " + std::string(kLongestTarget + 1, 't')).state == BlockState::target_too_long);
  CHECK(inspect("GET " + std::string(3 * kLongestHeaderBlock, 't')).state == BlockState::target_too_long);
}

TEST_CASE("bare line feeds, NUL and folded lines are malformed") {
  using namespace std::string_view_literals;
  for (const auto text : {"GET / HTTP/1.1\nHost: a\n\n"sv, "\nGET"sv, "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n"sv, "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n"sv, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"sv}) {
    CAPTURE(text);
    CHECK(inspect(text).state == BlockState::malformed);
  }
}
