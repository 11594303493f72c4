// SPDX-License-Identifier: Apache-2.0
// Tokens of the real server: made by one command, taken by the other, shown by none.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using test::ask;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string token(const std::filesystem::path& principals, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {ARKVORY_STUB, "token"});
  arguments.insert(arguments.end(), {"--principals", principals.string()});
  const auto finished = test::run(arguments);
  CHECK(finished.end.exit_code == 0);
  CHECK(finished.error_output.empty());
  REQUIRE(finished.output.size() == 44);
  return finished.output.substr(0, 43);
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

}  // namespace

TEST_CASE("a token that was printed once is taken by the server, which shows none") {
  const test::TempFolder folder;
  const auto principals = folder / "principals.json";
  test::put(folder / "root" / "big.bin", "bytes");
  test::put(folder / "root" / "other.bin", "bytes");
  const auto alice = token(principals, {"alice", "--kind", "person"});
  const auto fleet = token(principals, {"--kind", "service", "fleet", "--class", "bulk"});
  const auto link = token(principals, {"l1", "--kind", "link", "--path", "big.bin", "--issuer", "alice"});
  const auto log = folder / "access.log";
  test::Stub stub(folder / "root", {"--principals", principals.string(), "--access-log", log.string()});

  CHECK(ask(stub.port, "GET", "/files/big.bin").status == 401);
  CHECK(ask(stub.port, "GET", "/files/big.bin", bearer("nobody")).header("WWW-Authenticate") == "Bearer");
  CHECK(ask(stub.port, "GET", "/files/none", bearer(alice)).status == 404);
  CHECK(ask(stub.port, "GET", "/files/big.bin", bearer(alice)).header("Arkvory-Download-Class") == "interactive");
  CHECK(ask(stub.port, "GET", "/files/big.bin", bearer(fleet)).header("Arkvory-Download-Class") == "bulk");
  CHECK(ask(stub.port, "GET", "/d/" + link).body == "bytes");
  CHECK(ask(stub.port, "GET", "/d/" + link).header("Arkvory-Download-Class") == "release");
  CHECK(ask(stub.port, "GET", "/files/other.bin", bearer(link)).status == 403);
  CHECK(ask(stub.port, "GET", "/d/" + alice).status == 404);
  CHECK(ask(stub.port, "GET", "/healthz").status == 200);
  CHECK(stub.stop() == 0);

  for (const auto& secret : {alice, fleet, link}) {
    CHECK(text_of(log).find(secret) == std::string::npos);
    CHECK(text_of(principals).find(secret) == std::string::npos);
    CHECK(stub.process.error_output().find(secret) == std::string::npos);
  }
  CHECK(text_of(log).find("/d/…") != std::string::npos);
}

TEST_CASE("a token that can't be printed is a failure, not a principal whom nobody can be") {
  const test::TempFolder folder;
  test::ProcessOptions options;
  options.output_file = "/dev/full";
  const auto finished = test::run(
      {ARKVORY_STUB, "token", "alice", "--kind", "person", "--principals", (folder / "p.json").string()}, options);
  CHECK(finished.end.exit_code == 10);
  CHECK(finished.error_output.find("alice") != std::string::npos);
}

TEST_CASE("a principals file that is broken or missing is one line that names the place, and exit 2") {
  const test::TempFolder folder;
  const auto principals = folder / "principals.json";
  const auto missing = test::run(test::Stub::arguments(folder.path(), {"--principals", principals.string()}));
  CHECK(missing.end.exit_code == 2);
  CHECK(missing.error_output.find(principals.string()) != std::string::npos);
  test::put(principals, R"({"principals":[{"name":"alice","kind":"robot","tokenSha256":""}]})");
  const auto broken = test::run(test::Stub::arguments(folder.path(), {"--principals", principals.string()}));
  CHECK(broken.end.exit_code == 2);
  CHECK(broken.error_output.find("/principals/0/kind") != std::string::npos);
  CHECK(std::count(broken.error_output.begin(), broken.error_output.end(), '\n') == 1);
}

TEST_CASE("a state folder is made at the start; one that is not ours to use ends it with exit 10") {
  const test::TempFolder folder;
  test::put(folder / "root" / "a", "a");
  const auto state = folder / "state";
  {
    test::Stub stub(folder / "root", {"--state", state.string()});
    CHECK(std::filesystem::exists(state / "arkvory-stub.db"));
    CHECK(stub.stop() == 0);
    CHECK(stub.process.error_output().find("in_memory") == std::string::npos);
  }
  {
    test::Stub stub(folder / "root");
    CHECK(stub.stop() == 0);
    CHECK(stub.process.error_output().find("in_memory") != std::string::npos);
  }
  test::put(state / "arkvory-stub.db", "no database, however long one looks at it");
  const auto refused = test::run(test::Stub::arguments(folder / "root", {"--state", state.string()}));
  CHECK(refused.end.exit_code == 10);
  CHECK(refused.error_output.find("arkvory-stub.db") != std::string::npos);
}
