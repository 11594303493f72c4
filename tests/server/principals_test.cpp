// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/principals.h"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/sim/simulated_disk.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

// SHA-256 of "alice-token", "fleet-token" and "link-token".
const std::string kAlice = "9c220f200955d76c0a38d308225e0ef10c5f971acaf2f8d1d8f732affa5bd1dc";
const std::string kFleet = "233a1f78caac55c3cde9d5b2e2b5b001b018c84de79ef9a1819e46678e275749";
const std::string kLink = "ad6fe9d88840916c1d51f8e395b7c76a767186787fc878d2a9f3fe516f8aa8ec";

std::string document() {
  return R"({"principals":[{"name":"alice","kind":"person","tokenSha256":")" + kAlice +
         R"("},{"name":"fleet","kind":"service","class":"bulk","tokenSha256":")" + kFleet +
         R"("}],"links":[{"name":"l1","issuer":"alice","path":"big.bin","tokenSha256":")" + kLink + R"("}]})";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::string complaint(const std::string& json) {
  const auto principals = Principals::parse(json);
  REQUIRE_FALSE(principals.has_value());
  CHECK(principals.error().fault == Fault::usage);
  return principals.error().words;
}

Principals loaded(FileSystem& files, const std::filesystem::path& path) {
  auto principals = Principals::load(files, path);
  REQUIRE_MESSAGE(principals.has_value(), principals.error().text());
  return std::move(*principals);
}

}  // namespace

TEST_CASE("a principal is known by its token, and has its class (O2)") {
  const auto principals = Principals::parse(document());
  REQUIRE(principals.has_value());
  CHECK(principals->are_configured());
  const auto alice = principals->by_token("alice-token");
  REQUIRE(alice);
  CHECK(alice->name == "alice");
  CHECK(alice->kind == PrincipalKind::person);
  CHECK(alice->own_class == DownloadClass::interactive);
  CHECK(alice->counted_as() == "alice");
  const auto fleet = principals->by_token("fleet-token");
  REQUIRE(fleet);
  CHECK(fleet->kind == PrincipalKind::service);
  CHECK(fleet->own_class == DownloadClass::bulk);
  const auto link = principals->by_token("link-token");
  REQUIRE(link);
  CHECK(link->name == "link:l1");
  CHECK(link->kind == PrincipalKind::link);
  CHECK(link->own_class == DownloadClass::release);
  CHECK(link->path == "big.bin");
  CHECK(link->counted_as() == "alice");
  for (const auto& nobody : {std::string("Alice-token"), std::string(), kAlice})
    CHECK_FALSE(principals->by_token(nobody));
}

TEST_CASE("a service without a class is of class release, and empty lists are no mistake") {
  const auto principals = Principals::parse(replaced(document(), R"("class":"bulk",)", ""));
  REQUIRE(principals.has_value());
  CHECK(principals->by_token("fleet-token")->own_class == DownloadClass::release);
  for (const char* empty : {"{}", R"({"principals":[],"links":[]})"}) {
    const auto none = Principals::parse(empty);
    REQUIRE(none.has_value());
    CHECK(none->are_configured());
    CHECK_FALSE(none->by_token("alice-token"));
  }
}

TEST_CASE("without a file everyone is the person anonymous") {
  CHECK_FALSE(Principals().are_configured());
  CHECK(anonymous()->name == "anonymous");
  CHECK(anonymous()->kind == PrincipalKind::person);
  CHECK(anonymous()->own_class == DownloadClass::interactive);
  CHECK(anonymous()->is_anonymous());
}

TEST_CASE("a broken file is refused with the place as a JSON Pointer") {
  struct Case {
    std::string what;
    std::string with;
    const char* pointer;
  };
  const std::vector<Case> cases{
      {R"("name":"alice")", R"("name":"")", "/principals/0/name "},
      {R"("name":"alice")", R"("name":7)", "/principals/0/name "},
      {R"("name":"alice")", R"("name":"anonymous")", "/principals/0/name "},
      {R"("name":"alice")", R"("name":"link:l1")", "/principals/0/name "},
      {R"("name":"alice")", R"("name":"a\nb")", "/principals/0/name "},
      {R"("name":"alice",)", "", "/principals/0/name "},
      {R"("name":"fleet")", R"("name":"alice")", "/principals/1/name is there twice"},
      {R"("kind":"person")", R"("kind":"link")", "/principals/0/kind "},
      {R"("kind":"person",)", "", "/principals/0/kind is missing"},
      {R"("kind":"person")", R"("kind":"person","class":"bulk")", "/principals/0/class "},
      {R"("class":"bulk")", R"("class":"fast")", "/principals/1/class "},
      {R"("class":"bulk")", R"("klass":"bulk")", "/principals/1/klass is unknown"},
      {R"("class":"bulk")", R"("a/b~":1)", "/principals/1/a~1b~0 "},
      {kAlice, "00", "/principals/0/tokenSha256 "},
      {kAlice, std::string(64, 'A'), "/principals/0/tokenSha256 "},
      {kFleet, kAlice, "/principals/1/tokenSha256 is there twice"},
      {kLink, kAlice, "/links/0/tokenSha256 is there twice"},
      {R"("issuer":"alice",)", "", "/links/0/issuer is missing"},
      {R"("issuer":"alice")", R"("issuer":"anonymous")", "/links/0/issuer "},
      {R"("path":"big.bin")", R"("path":"/big.bin")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"../big.bin")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"a//b")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"a/")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"a\u0000b")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"")", "/links/0/path "},
      {R"("path":"big.bin")", R"("path":"big.bin","class":"bulk")", "/links/0/class "},
      {R"("links":[)", R"("links":[[],)", "/links/0 has to be an object"},
      {R"("links":[)", R"("link":[)", "/link is unknown"},
      {R"("principals":[)", R"("principals":{},"x":[)", "/x "},
  };
  for (const auto& one : cases) {
    CAPTURE(one.with);
    const auto words = complaint(replaced(document(), one.what, one.with));
    CAPTURE(words);
    CHECK(words.starts_with(one.pointer));
  }
  CHECK(complaint(R"({"principals":{}})").starts_with("/principals has to be an array"));
  for (const char* other : {"", "[]", "null", "{", "\"x\"", "{} {}", "{\"a\":[{}"}) complaint(other);
  const auto twice = replaced(document(), R"("class":"bulk")", R"("class":"bulk","class":"interactive")");
  CHECK(complaint(twice).find("comes twice") != std::string::npos);
}

TEST_CASE("a file that is broken or missing is named") {
  sim::SimulatedDisk files("/home");
  const auto missing = Principals::load(files, "/home/none.json");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().fault == Fault::usage);
  CHECK(missing.error().words.find("/home/none.json") != std::string::npos);
  const std::string broken = R"({"links":[{}]})";
  REQUIRE(files.replace_durably("/home/p.json", std::as_bytes(std::span(broken))).has_value());
  const auto refused = Principals::load(files, "/home/p.json");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().words.find("/home/p.json: /links/0/name is missing") != std::string::npos);
}

TEST_CASE("what is added is known by its token, and what was there stays") {
  PosixFileSystem files;
  const test::TempFolder folder;
  const auto path = folder / "p.json";
  const auto alice = add_principal(files, path, {"alice", PrincipalKind::person});
  REQUIRE(alice.has_value());
  const auto fleet = add_principal(files, path, {"fleet", PrincipalKind::service, DownloadClass::background});
  REQUIRE(fleet.has_value());
  const auto link = add_principal(files, path, {"l1", PrincipalKind::link, std::nullopt, "a/b", "alice"});
  REQUIRE(link.has_value());
  CHECK(alice->size() == 43);
  const auto principals = loaded(files, path);
  CHECK(principals.by_token(*alice)->name == "alice");
  CHECK(principals.by_token(*fleet)->own_class == DownloadClass::background);
  CHECK(principals.by_token(*link)->name == "link:l1");
  CHECK(principals.by_token(*link)->path == "a/b");
  const auto text = read_whole(files, path, 1 << 20);
  REQUIRE(text.has_value());
  CHECK((*text)->find(*alice) == std::string::npos);
  CHECK((static_cast<unsigned>(std::filesystem::status(path).permissions()) & 0777U) == 0600);
}

TEST_CASE("a name that is taken, or a principal that can't be, changes nothing and makes no file") {
  sim::SimulatedDisk files("/home");
  const std::vector<NewPrincipal> wrong{
      {"", PrincipalKind::person},
      {"a:b", PrincipalKind::person},
      {"anonymous", PrincipalKind::service},
      {"l1", PrincipalKind::link, std::nullopt, "../x", "alice"},
  };
  for (const auto& one : wrong) {
    const auto refused = add_principal(files, "/home/p.json", one);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().fault == Fault::usage);
  }
  CHECK_FALSE(*files.status("/home/p.json"));
  const auto alice = add_principal(files, "/home/p.json", {"alice", PrincipalKind::person});
  REQUIRE(alice.has_value());
  const auto before = read_whole(files, "/home/p.json", 1 << 20);
  const auto again = add_principal(files, "/home/p.json", {"alice", PrincipalKind::service});
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().words.find("alice") != std::string::npos);
  CHECK(*read_whole(files, "/home/p.json", 1 << 20) == *before);
}

TEST_CASE("nothing is added to a file that is broken, or that another process is changing") {
  PosixFileSystem files;
  const test::TempFolder folder;
  const auto path = folder / "p.json";
  const std::string broken = R"({"principals":[{}]})";
  REQUIRE(files.replace_durably(path, std::as_bytes(std::span(broken))).has_value());
  const auto refused = add_principal(files, path, {"alice", PrincipalKind::person});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().words.find("/principals/0/name") != std::string::npos);
  CHECK(*read_whole(files, path, 1 << 20) == broken);
  const auto other = files.open_or_create(folder / "q.json", Access::owner_only);
  REQUIRE(other.has_value());
  REQUIRE(*(*other)->try_lock());
  const auto locked = add_principal(files, folder / "q.json", {"alice", PrincipalKind::person});
  REQUIRE_FALSE(locked.has_value());
  CHECK(locked.error().fault == Fault::locked);
}
