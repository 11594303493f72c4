// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <doctest/doctest.h>

#include <vector>

namespace arkvory::cli {

TEST_CASE("a mistyped word is answered with the nearest known one") {
  const std::vector<std::string> known{"download", "resume", "list", "cancel", "verify", "help"};
  CHECK(nearest("downlaod", known) == "download");
  CHECK(nearest("dowload", known) == "download");
  CHECK(nearest("resmue", known) == "resume");
  CHECK(nearest("lsit", known) == "list");
  CHECK(nearest("verifyy", known) == "verify");
}

TEST_CASE("a word that resembles none is answered with none") {
  const std::vector<std::string> known{"download", "resume", "list", "cancel", "verify", "help"};
  CHECK(!nearest("frobnicate", known));
  CHECK(!nearest("x", known));
  CHECK(!nearest("", known));
  CHECK(!nearest("word", std::vector<std::string>{}));
}

}  // namespace arkvory::cli
