// SPDX-License-Identifier: Apache-2.0
// The command line of the real server.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

bool is_one_line(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

}  // namespace

TEST_CASE("a bad command line is one line that names the option, and exit 2") {
  const test::TempFolder folder;
  const auto root = folder.path().string();
  struct Case {
    std::vector<std::string> arguments;
    const char* named;
  };
  const std::vector<Case> cases{
      {{}, "serve"},
      {{"fly"}, "fly"},
      {{"--fly"}, "--fly"},
      {{"serve"}, "--root"},
      {{"serve", "--root="}, "--root"},
      {{"serve", "--root", root, "--nonsense"}, "--nonsense"},
      {{"serve", "--root", root, "stray"}, "stray"},
      {{"serve", "--root", root, "--listen", "0.0.0.0:0"}, "0.0.0.0:0"},
      {{"serve", "--root", root, "--listen", "[::]:0"}, "[::]:0"},
      {{"serve", "--root", root, "--listen", "8080"}, "8080"},
      {{"serve", "--root", root, "--listen", "127.0.0.1:99999"}, "99999"},
      {{"serve", "--root", root, "--stop-timeout", "soon"}, "--stop-timeout"},
      {{"serve", "--root", root, "--log", "xml"}, "--log"},
      {{"serve", "--root", root, "--sessions", "0"}, "--sessions"},
      {{"serve", "--root", root, "--sessions", "010x"}, "--sessions"},
      {{"serve", "--root", root, "--sessions="}, "--sessions"},
      {{"serve", "--root", root, "--weights", "8,4,2"}, "--weights"},
      {{"serve", "--root", root, "--strategy", "fair"}, "--strategy takes ordered, smallest-first or shared"},
      {{"serve", "--root", root, "--principals", "p", "--listen", "0.0.0.0:0"}, "--insecure"},
      {{"serve", "--root", root, "--insecure", "--listen", "0.0.0.0:0"}, "--principals"},
      {{"serve", "--root", root, "--insecure=yes"}, "--insecure"},
      {{"token"}, "NAME"},
      {{"token", "a", "--principals", "p"}, "--kind"},
      {{"token", "a", "--kind", "person"}, "--principals"},
      {{"token", "a", "--kind", "robot", "--principals", "p"}, "robot"},
      {{"token", "a", "--kind", "person", "--class", "bulk", "--principals", "p"}, "--class"},
      {{"token", "a", "--kind", "service", "--class", "fast", "--principals", "p"}, "fast"},
      {{"token", "a", "--kind", "link", "--issuer", "b", "--principals", "p"}, "--path"},
      {{"token", "a", "--kind", "link", "--path", "b", "--principals", "p"}, "--issuer"},
      {{"token", "a", "--kind", "person", "--path", "b", "--principals", "p"}, "--path"},
      {{"serve", "--root", root, "--trusted-proxy", "10.0.0.1/8"}, "10.0.0.1/8"},
      {{"serve", "--root", root, "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "proxy"}, "not proxy"},
      {{"serve", "--root", root, "--trusted-proxy", "10.0.0.0/8", "10.0.0.0/8"}, "10.0.0.0/8"},
      {{"backup"}, "FILE"},
      {{"backup", root + "/b"}, "--state"},
      {{"restore"}, "FILE"},
      {{"restore", root + "/b"}, "--state"},
      {{"token", "a:b", "--kind", "person", "--principals", root + "/p"}, "/principals/0/name"},
  };
  for (const auto& one : cases) {
    auto arguments = one.arguments;
    arguments.insert(arguments.begin(), ARKVORY_STUB);
    const auto finished = test::run(arguments);
    CAPTURE(finished.error_output);
    CHECK(finished.end.exit_code == 2);
    CHECK(is_one_line(finished.error_output));
    CHECK(finished.error_output.find(one.named) != std::string::npos);
    CHECK(finished.output.empty());
  }
}

TEST_CASE("a bad variable is named, and a flag makes it not matter") {
  const test::TempFolder folder;
  test::ProcessOptions options;
  options.environment["ARKVORY_MAX_DOWNLOAD_SESSIONS"] = "many";
  const auto refused = test::run(test::Stub::arguments(folder.path(), {}), options);
  CHECK(refused.end.exit_code == 2);
  CHECK(is_one_line(refused.error_output));
  CHECK(refused.error_output.find("ARKVORY_MAX_DOWNLOAD_SESSIONS") != std::string::npos);
  test::Process served(test::Stub::arguments(folder.path(), {"--sessions", "1"}), options);
  CHECK(served.read_line(std::chrono::seconds(60)).value_or("").starts_with("listening "));
}

TEST_CASE("what can't be served is one line that names it, and exit 10") {
  const test::TempFolder folder;
  test::put(folder / "file", "x");
  for (const auto& root : {folder / "missing", folder / "file"}) {
    const auto finished = test::run(test::Stub::arguments(root, {}));
    CHECK(finished.end.exit_code == 10);
    CHECK(is_one_line(finished.error_output));
    CHECK(finished.error_output.find(root.string()) != std::string::npos);
  }
  const auto log = (folder / "no" / "log").string();
  const auto unwritable = test::run(test::Stub::arguments(folder.path(), {"--access-log", log}));
  CHECK(unwritable.end.exit_code == 10);
  CHECK(unwritable.error_output.find(log) != std::string::npos);
  test::Stub first(folder.path());
  const auto taken = "127.0.0.1:" + std::to_string(first.port);
  const auto second = test::run(test::Stub::arguments(folder.path(), {"--listen", taken}));
  CHECK(second.end.exit_code == 10);
  CHECK(is_one_line(second.error_output));
  CHECK(second.error_output.find(taken) != std::string::npos);
}

TEST_CASE("help and version go to stdout") {
  const auto version = test::run({ARKVORY_STUB, "--version"});
  CHECK(version.end.exit_code == 0);
  CHECK(version.output.starts_with("arkvory-stub "));
  const auto help = test::run({ARKVORY_STUB, "--help"});
  CHECK(help.end.exit_code == 0);
  CHECK(help.output.find("serve") != std::string::npos);
  const auto serve = test::run({ARKVORY_STUB, "serve", "--help"});
  CHECK(serve.end.exit_code == 0);
  CHECK(serve.output.find("--root") != std::string::npos);
  CHECK(serve.output.find("--access-log") != std::string::npos);
}

TEST_CASE("the server listens on IPv6 loopback too, and says one line") {
  const test::TempFolder folder;
  test::Process process(test::Stub::arguments(folder.path(), {"--listen", "[::1]:0"}));
  const auto line = process.read_line(std::chrono::seconds(60));
  REQUIRE(line);
  CHECK(line->starts_with("listening http://[::1]:"));
  process.kill(SIGINT);
  const auto end = process.wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK(process.output().empty());
}
