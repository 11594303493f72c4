// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/control_keys.h"

#include <doctest/doctest.h>

#include <span>
#include <string>

#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

std::string hash(std::string_view key) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(key)));
  return sum.finish().to_hex();
}

std::string fault(std::string_view text) {
  const auto keys = ControlKeys::parse(text);
  REQUIRE_FALSE(keys.has_value());
  CHECK(keys.error().fault == Fault::usage);
  return keys.error().words;
}

}  // namespace

TEST_CASE("a control key is known by its hash, and tells its name") {
  const auto keys =
      ControlKeys::parse("# who\n\nops " + hash("one") + "\r\n  night\t " + hash("two") + "\nops " + hash("three"));
  REQUIRE(keys.has_value());
  CHECK(keys->are_configured());
  REQUIRE(keys->name_of("one") != nullptr);
  CHECK(*keys->name_of("one") == "ops");
  REQUIRE(keys->name_of("two") != nullptr);
  CHECK(*keys->name_of("two") == "night");
  REQUIRE(keys->name_of("three") != nullptr);
  CHECK(keys->name_of("") == nullptr);
  CHECK(keys->name_of("One") == nullptr);
  CHECK(keys->name_of(hash("one")) == nullptr);
}

TEST_CASE("without a file there are no control keys") {
  const ControlKeys none;
  CHECK_FALSE(none.are_configured());
  CHECK(none.name_of("") == nullptr);
}

TEST_CASE("what is no file of control keys is told by its line, without what is written there") {
  const auto good = "ops " + hash("one") + "\n";
  CHECK(fault(good + "secret").find("line 2") == 0);
  CHECK(fault(good + "secret").find("secret") == std::string::npos);
  CHECK(fault(good + "ops " + hash("two") + " more").find("line 2") == 0);
  CHECK(fault(hash("one")).find("line 1") == 0);
  CHECK(fault("ops " + hash("one").substr(1)).find("line 1") == 0);
  CHECK(fault(std::string("o\x01s ") + hash("one")).find("line 1") == 0);
  CHECK(fault(std::string(129, 'a') + " " + hash("one")).find("line 1") == 0);
  CHECK(fault(good + "night " + hash("one")).find("line 2") == 0);
  CHECK(fault("").find("no key") != std::string::npos);
  CHECK(fault("# none yet\n").find("no key") != std::string::npos);
}

TEST_CASE("a file of control keys that is missing or wrong is named") {
  const test::TempFolder folder;
  PosixFileSystem files;
  const auto missing = ControlKeys::load(files, folder / "keys");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().words.find((folder / "keys").string()) != std::string::npos);
  test::put(folder / "keys", "ops\n");
  const auto wrong = ControlKeys::load(files, folder / "keys");
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().words.find((folder / "keys").string() + ": line 1") != std::string::npos);
  test::put(folder / "keys", "ops " + hash("one") + "\n");
  CHECK(ControlKeys::load(files, folder / "keys").has_value());
}
