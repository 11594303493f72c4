// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/relative_path.h"

#include <doctest/doctest.h>

#include <string>

using namespace arkvory;
using server::RelativePath;

TEST_CASE("a path is percent-decoded once, component by component") {
  CHECK(RelativePath::from_url("a/b%20c.bin")->text() == "a/b c.bin");
  CHECK(RelativePath::from_url("%D1%8F")->text() == "я");
  CHECK(RelativePath::from_url("100%2525")->text() == "100%25");
  CHECK(RelativePath::from_url("a+b")->text() == "a+b");
  CHECK(RelativePath::from_url("...")->text() == "...");
}

TEST_CASE("a path that could leave the root or break a line is refused") {
  for (const char* hostile :
       {"..",    "a/../b", "../x", "%2e%2e/x", "%2E%2e", ".",   "a/./b", "a/%2e/b", "..%2fetc", "a%2Fb", "a%00b",
        "a%0db", "a%0Ab",  "a//b", "/a",       "//",     "a//", "%",     "%4",      "%zz",      "a%"}) {
    CAPTURE(hostile);
    const auto path = RelativePath::from_url(hostile);
    REQUIRE(!path);
    CHECK(path.error().fault == Fault::refused);
  }
}

TEST_CASE("a slash at the end means a folder") {
  CHECK(RelativePath::from_url("")->is_root());
  CHECK(RelativePath::from_url("")->means_folder());
  CHECK(RelativePath::from_url("a/")->means_folder());
  CHECK(RelativePath::from_url("a/")->text() == "a");
  CHECK(!RelativePath::from_url("a")->means_folder());
}

TEST_CASE("a path survives the way to a URL and back") {
  for (const char* text : {"a", "a b/c%d", "я/ü", "q?#&=+;", "~-._", "\x01\x7F\xFF"}) {
    CAPTURE(text);
    const auto path = RelativePath::from_text(text);
    CHECK(path.text() == text);
    CHECK(RelativePath::from_url(path.to_url())->text() == text);
  }
}
