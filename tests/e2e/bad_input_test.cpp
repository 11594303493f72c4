// SPDX-License-Identifier: Apache-2.0
// What can't be done is said in one line that names the thing, with the status that tells scripts what kind it is.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/e2e/gated_origin.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

struct Row {
  const char* what;
  std::vector<std::string> arguments;
  int status;
  std::string named;  // what the line must hold
};

}  // namespace

TEST_CASE("bad input and things that are in the way: the status, one line, nothing requested, nothing changed") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(14, 2 * kMiB);
  const auto mine = test::pattern(15, 1000);
  const test::GatedOrigin origin(bytes);
  test::put(client.file("mine"), mine);
  std::filesystem::create_directory(client.file("folder"));
  const auto url = origin.url();
  const auto digest = test::hex_sha256(bytes);
  const std::vector<Row> rows{
      {"an unknown option", {"--frobnicate", url}, 2, "--frobnicate"},
      {"no URL", {}, 2, "URL"},
      {"no URL at all", {"not-a-url"}, 2, "not-a-url"},
      {"another scheme", {"ftp://127.0.0.1/object.bin"}, 2, "ftp://127.0.0.1/object.bin"},
      {"a URL without a host", {"http:///object.bin"}, 2, "http:///object.bin"},
      {"a port out of range", {"http://127.0.0.1:65536/object.bin"}, 2, "65536"},
      {"a digest that is too short", {"--sha256", "abc123", url}, 2, "abc123"},
      {"a digest with a letter that is none", {"--sha256", "x" + digest.substr(1), url}, 2, "x" + digest.substr(1)},
      {"no number of connections", {"-c", "0", url}, 2, "0"},
      {"too small a range", {"--range-size", "1KiB", url}, 2, "1KiB"},
      {"no size", {"--range-size", "many", url}, 2, "many"},
      {"a target below a regular file", {"-o", "mine/object.bin", url}, 10, "mine"},
      {"a target in a folder that isn't there", {"-o", "missing/object.bin", url}, 10, "missing"},
      {"a folder below a regular file", {"-d", "mine/folder", url}, 10, "mine"},
      {"a folder as the target", {"-o", "folder", url}, 10, "folder"},
      {"a file in the way, and no digest", {"-o", "mine", url}, 10, "mine"},
      {"a file in the way with another digest", {"-o", "mine", "--sha256", digest, url}, 10, "mine"},
  };
  const auto names = client.names();
  for (const auto& row : rows) {
    CAPTURE(row.what);
    auto arguments = row.arguments;
    arguments.insert(arguments.begin(), "-q");
    const auto done = client.run("download", arguments);
    CAPTURE(done.error_output);
    CHECK(done.end.exit_code == row.status);
    CHECK(done.output.empty());
    CHECK(test::lines_of(done.error_output).size() == 1);
    CHECK(done.error_output.starts_with("arkvoryctl: "));
    CHECK(done.error_output.find(row.named) != std::string::npos);
    CHECK(client.names() == names);
  }
  CHECK(test::holds(client.file("mine"), mine));
  CHECK(origin.served().empty());
  CHECK(client.list().empty());
}

TEST_CASE("a file that has the given digest already is a success without a request") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(16, 2 * kMiB);
  const test::GatedOrigin origin(bytes);
  test::put(client.file("object.bin"), bytes);
  const auto done =
      client.run("download", {"-q", "-o", "object.bin", "--sha256", test::hex_sha256(bytes), origin.url()});
  CHECK(done.end.exit_code == 0);
  CHECK(done.error_output.empty());
  CHECK(origin.served().empty());
  CHECK(test::holds(client.file("object.bin"), bytes));
  CHECK(client.names() == std::set<std::string>{"object.bin"});
}

TEST_CASE("a server that isn't there ends with 5 in one line once the retries are spent, and can be resumed") {
  const test::ClientFolder client;
  const auto authority = "127.0.0.1:" + std::to_string(test::closed_port());
  const auto done =
      client.run("download", {"-q", "--max-retries", "1", "-o", "object.bin", "http://" + authority + "/object.bin"});
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 5);
  CHECK(test::lines_of(done.error_output).size() == 1);
  CHECK(done.error_output.find(authority) != std::string::npos);
  CHECK(!std::filesystem::exists(client.file("object.bin")));
  CHECK(client.list().size() == 1);
}

TEST_CASE("resume, cancel and verify of what isn't there name it") {
  const test::ClientFolder client;
  for (const auto& [command, status] : {std::pair{"resume", 6}, {"cancel", 6}, {"verify", 6}}) {
    CAPTURE(command);
    std::vector<std::string> arguments{"absent"};
    if (std::string(command) == "cancel") arguments.insert(arguments.begin(), "--yes");
    const auto done = client.run(command, arguments);
    CAPTURE(done.error_output);
    CHECK(done.end.exit_code == status);
    CHECK(test::lines_of(done.error_output).size() == 1);
    CHECK(done.error_output.find("absent") != std::string::npos);
    CHECK(client.names().empty());
  }
}
