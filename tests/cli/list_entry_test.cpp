// SPDX-License-Identifier: Apache-2.0
#include "cli/list_entry.h"

#include <doctest/doctest.h>

namespace arkvory::cli {

namespace {

const std::string kHex(64, 'a');

std::string words_of(const Result<ListEntry>& entry) {
  REQUIRE(!entry);
  CHECK(entry.error().fault == Fault::usage);
  return entry.error().words;
}

bool says(const std::string& words, const std::string& part) { return words.find(part) != std::string::npos; }

const Url kBase = *Url::parse("https://u:p@example.org/d/10");

}  // namespace

TEST_CASE("a tab-separated line has a URL and then its fields in any order") {
  const auto entry = entry_from("https://example.org/a\tclass=bulk\tout=sub/b\tsha256=" + kHex);
  REQUIRE(entry);
  CHECK(entry->url.text() == "https://example.org/a");
  CHECK(entry->out == "sub/b");
  CHECK(entry->sha256->to_hex() == kHex);
  CHECK(entry->download_class == "bulk");
  const auto bare = entry_from("https://example.org/a\t\t");
  REQUIRE(bare);
  CHECK(bare->out.empty());
  CHECK(!bare->sha256);
}

TEST_CASE("a JSON line has the same, and a null is nothing") {
  const auto entry =
      entry_from(R"({"sha256":")" + kHex + R"(","out":"b\u00e9","class":null,"url":"http://example.org/a b"})");
  REQUIRE(entry);
  CHECK(entry->url.text() == "http://example.org/a%20b");
  CHECK(entry->out == "b\xC3\xA9");
  CHECK(entry->sha256);
  CHECK(entry->download_class.empty());
}

TEST_CASE("what a line has too much or wrong is refused, not passed over") {
  CHECK(says(words_of(entry_from("https://h/a\tsha265=" + kHex)), "out=, sha256=, class="));
  CHECK(says(words_of(entry_from("https://h/a\tmore")), "out=, sha256=, class="));
  CHECK(says(words_of(entry_from("https://h/a\tout=b\tout=c")), "twice"));
  CHECK(says(words_of(entry_from("https://h/a\tsha256=12")), "64"));
  CHECK(says(words_of(entry_from("https://h/a\tclass=a b")), "class"));
  CHECK(says(words_of(entry_from("ftp://h/a")), "http"));
  CHECK(says(words_of(entry_from(std::string("https://h/a\0b", 13))), "NUL"));
  CHECK(says(words_of(entry_from(kHex + "  name")), "--base-url"));
  CHECK(says(words_of(entry_from(R"({"url":"https://h/a","sha265":"x"})")), "url, out, sha256, class"));
  CHECK(says(words_of(entry_from(R"({"url":"https://h/a","out":1})")), "text"));
  CHECK(says(words_of(entry_from(R"({"out":"a"})")), "no url"));
  CHECK(says(words_of(entry_from(R"({"url":"https://h/a")")), "JSON"));
  CHECK(says(words_of(entry_from("{\"url\":\"https://h/\xFF\"}")), "JSON"));
  CHECK(says(words_of(entry_from(std::string(40'000, '{'))), "JSON"));
}

TEST_CASE("no line leads out of the folder, or to a file of this program's own") {
  for (const auto* out :
       {"/etc/passwd", "../a", "a/../../b", "a/..", "..", ".", "", "a/", "./", "x.arkvory", "sub/x.arkvory-part"}) {
    CAPTURE(out);
    CHECK(!path_inside(out));
    CHECK(!entry_from(std::string("https://h/a\tout=") + out));
  }
  CHECK(!path_inside(std::string(224, 'n')));
  CHECK(!path_inside(std::string(256, 'n') + "/a"));
  CHECK(path_inside(std::string(223, 'n')));
  CHECK(*path_inside(".//a/./b") == "a/b");
  CHECK(*path_inside("..a/...") == "..a/...");
  CHECK(*path_inside("\xFF") == "\xFF");
}

TEST_CASE("SHA256SUMS lines are read in the forms that sha256sum and shasum write") {
  const auto name_of = [](const std::string& line) {
    const auto checksum = checksum_from(line);
    return checksum ? checksum->name : std::string("none");
  };
  CHECK(name_of(kHex + "  a b") == "a b");
  CHECK(name_of(kHex + " *a") == "a");
  CHECK(name_of(kHex + "   a") == " a");
  CHECK(name_of("SHA256 (a (1)) = " + kHex) == "a (1)");
  CHECK(name_of("\\" + kHex + "  a\\nb\\\\c\\r") == "a\nb\\c\r");
  CHECK(name_of("\\SHA256 (a\\nb) = " + kHex) == "a\nb");
  CHECK(name_of(kHex + "  a\\nb") == "a\\nb");
  for (const auto& line : {kHex, kHex + "  ", kHex + " a", "\\" + kHex + "  a\\x", "\\" + kHex + "  a\\",
                           std::string("SHA256 (a) = 12"), "SHA512 (a) = " + kHex, std::string(128, 'a') + "  a"})
    CHECK(name_of(line) == "none");
}

TEST_CASE("a SHA256SUMS name is a path below the base, whatever is in it") {
  const auto entry = entry_from_sums(kHex + "  ./dir/a b%20+#?.iso", kBase);
  REQUIRE(entry);
  CHECK(entry->out == "dir/a b%20+#?.iso");
  CHECK(entry->url.text() == "https://example.org/d/10/dir/a%20b%2520%2B%23%3F.iso");
  CHECK(entry->url.userinfo().reveal() == "u:p");
  CHECK(entry->sha256->to_hex() == kHex);
  CHECK(!entry_from_sums(kHex + "  ../a", kBase));
  CHECK(!entry_from_sums(kHex + "  /a", kBase));
  CHECK(!entry_from_sums("https://h/a", kBase));
}

TEST_CASE("empty lines and comments say nothing") {
  for (const auto* line : {"", "  ", "\t", "# a", "  # a"}) CHECK(says_nothing(line));
  CHECK(!says_nothing("https://h/#a"));
}

}  // namespace arkvory::cli
