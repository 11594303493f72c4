// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/digest_index.h"

#include <doctest/doctest.h>

#include <string>

using namespace arkvory;
using namespace arkvory::server;

namespace {

FileIdentity identity(std::uint64_t inode, std::int64_t changed = 1) { return {1, inode, 10, 1, changed}; }
Sha256Digest digest(char digit) { return *Sha256Digest::from_hex(std::string(64, digit)); }
RelativePath path(const char* text) { return RelativePath::from_text(text); }

}  // namespace

TEST_CASE("a digest belongs to exactly one identity") {
  DigestIndex index;
  index.record(path("a"), identity(7), digest('a'));
  CHECK(index.digest_of(identity(7)) == digest('a'));
  CHECK(!index.digest_of(identity(7, 2)));
  CHECK(!index.digest_of(identity(8)));
}

TEST_CASE("copies are told in the order they were found, and keep it") {
  DigestIndex index;
  index.record(path("b"), identity(1), digest('a'));
  index.record(path("a"), identity(2), digest('a'));
  index.record(path("b"), identity(3), digest('a'));
  const auto places = index.places_of(digest('a'));
  REQUIRE(places.size() == 2);
  CHECK(places[0].path.text() == "b");
  CHECK(places[0].identity == identity(3));
  CHECK(places[1].path.text() == "a");
  CHECK(index.places_of(digest('b')).empty());
}

TEST_CASE("a path with new content leaves its old digest") {
  DigestIndex index;
  index.record(path("a"), identity(1), digest('a'));
  index.record(path("a"), identity(1, 2), digest('b'));
  CHECK(index.places_of(digest('a')).empty());
  CHECK(index.places_of(digest('b')).size() == 1);
  CHECK(!index.digest_of(identity(1)));
  CHECK(index.size() == 1);
}

TEST_CASE("a scan forgets what it did not see") {
  DigestIndex index;
  index.record(path("kept"), identity(1), digest('a'));
  index.record(path("gone"), identity(2), digest('b'));
  index.begin_scan();
  CHECK(index.confirm(path("kept"), identity(1)));
  index.record(path("new"), identity(3), digest('c'));
  index.end_scan();
  CHECK(index.size() == 2);
  CHECK(index.places_of(digest('b')).empty());
  CHECK(!index.digest_of(identity(2)));
  CHECK(index.digest_of(identity(3)) == digest('c'));
}

TEST_CASE("a changed file is not confirmed, another name of a known one is") {
  DigestIndex index;
  index.record(path("a"), identity(1), digest('a'));
  index.begin_scan();
  CHECK(!index.confirm(path("a"), identity(1, 2)));
  CHECK(index.confirm(path("hard-link"), identity(1)));
  index.end_scan();
  const auto places = index.places_of(digest('a'));
  REQUIRE(places.size() == 1);
  CHECK(places[0].path.text() == "hard-link");
  CHECK(index.digest_of(identity(1)) == digest('a'));
}
