// SPDX-License-Identifier: Apache-2.0
// Downloads that nothing disturbs, and one of the wrong bytes.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

std::string url_of(const test::Stub& stub, const std::string& path) {
  return "http://127.0.0.1:" + std::to_string(stub.port) + path;
}

std::filesystem::perms permissions_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

// The command in a shell that sets the umask first.
test::Finished run_under_umask(const std::string& umask, const test::ClientFolder& client,
                               const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"/bin/sh", "-c", "umask " + umask + R"(; exec "$0" "$@")"};
  const auto command = client.command("download", arguments);
  all.insert(all.end(), command.begin(), command.end());
  return test::run(all, client.options());
}

}  // namespace

TEST_CASE("a plain download puts the right bytes under the target's name and nothing beside it") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(1, 20 * kMiB + 4321);
  test::put(client.beside("root") / "object.bin", bytes);
  const test::Stub stub(client.beside("root"));
  const auto done = client.run("download", {url_of(stub, "/files/object.bin")});
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 0);
  CHECK(done.output.empty());
  CHECK(test::holds(client.file("object.bin"), bytes));
  CHECK(client.names() == std::set<std::string>{"object.bin"});
  CHECK(client.list().empty());
}

TEST_CASE("-q says nothing of a success, and the file's mode is 0666 less the umask") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(2, 3 * kMiB);
  test::put(client.beside("root") / "object.bin", bytes);
  const test::Stub stub(client.beside("root"));
  for (const auto& [umask, mode] : {std::pair{"022", 0644U}, {"027", 0640U}, {"000", 0666U}}) {
    CAPTURE(umask);
    const auto done = run_under_umask(umask, client, {"-q", "-o", umask, url_of(stub, "/files/object.bin")});
    CHECK(done.end.exit_code == 0);
    CHECK(done.output.empty());
    CHECK(done.error_output.empty());
    CHECK(test::holds(client.file(umask), bytes));
    CHECK(permissions_of(client.file(umask)) == std::filesystem::perms{mode});
  }
}

TEST_CASE("an empty file and a file of one byte are downloads like any other") {
  const test::ClientFolder client;
  const test::Stub stub(client.files().parent_path());
  for (const std::size_t size : {0U, 1U}) {
    const auto bytes = test::pattern(3, size);
    const auto name = "size-" + std::to_string(size);
    test::put(client.beside("root") / name, bytes);
    const auto done =
        client.run("download", {"--sha256", test::hex_sha256(bytes), url_of(stub, "/files/root/" + name)});
    CAPTURE(done.error_output);
    CHECK(done.end.exit_code == 0);
    CHECK(test::holds(client.file(name), bytes));
  }
  CHECK(client.names() == std::set<std::string>{"size-0", "size-1"});
}

TEST_CASE("neither HOME nor XDG folders are needed") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(4, 9 * kMiB);
  test::put(client.beside("root") / "object.bin", bytes);
  const test::Stub stub(client.beside("root"));
  auto options = client.options();
  for (const auto* name : {"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"})
    options.environment[name] = std::nullopt;
  const auto done = test::run({ARKVORYCTL, "download", url_of(stub, "/files/object.bin")}, options);
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 0);
  CHECK(test::holds(client.file("object.bin"), bytes));
  CHECK(client.names() == std::set<std::string>{"object.bin"});
}

TEST_CASE("an artifact is asked for again until the server's index knows it, and so learns its digest") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(5, 12 * kMiB);
  test::put(client.beside("root") / "object.bin", bytes);
  // Holes only: nothing on disk, but much to hash.
  test::put(client.beside("root") / "a-large-one", {});
  std::filesystem::resize_file(client.beside("root") / "a-large-one", kGiB);
  test::Stub stub(client.beside("root"), {"--access-log", client.beside("log").string()});
  const auto artifact = url_of(stub, "/api/v1/artifacts/sha256:" + test::hex_sha256(bytes));
  const auto done = client.run("download", {"--json", "-o", "by-digest", artifact});
  CAPTURE(done.output);
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 0);
  CHECK(test::holds(client.file("by-digest"), bytes));

  // The server knows the digest now and sends it along: the answer to a path is held against it.
  const auto by_path = client.run("download", {"--json", "-o", "by-path", url_of(stub, "/files/object.bin")});
  CHECK(by_path.end.exit_code == 0);
  CHECK(test::holds(client.file("by-path"), bytes));
  CHECK(by_path.output.find("SHA-256 verified") != std::string::npos);
  CHECK(client.names() == std::set<std::string>{"by-digest", "by-path"});

  CHECK(stub.stop() == 0);
  std::ifstream log(client.beside("log"));
  int busy_answers = 0;
  for (std::string line; std::getline(log, line);) busy_answers += line.find(" 503 ") != std::string::npos ? 1 : 0;
  int waits = 0;
  for (const auto& line : test::lines_of(done.output)) {
    const auto event = nlohmann::json::parse(line);
    if (event.at("event") == "waiting" && event.at("reason") == "busy") ++waits;
  }
  CHECK(waits == busy_answers);
}

TEST_CASE("bytes with another digest than given end with 7, as often as one asks, and never become the target") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(6, 5 * kMiB);
  const auto other = test::hex_sha256(test::pattern(7, 1));
  test::put(client.beside("root") / "object.bin", bytes);
  const test::Stub stub(client.beside("root"));
  for (int run = 1; run <= 2; ++run) {
    CAPTURE(run);
    const auto done = client.run("download", {"-q", "--sha256", other, url_of(stub, "/files/object.bin")});
    CAPTURE(done.error_output);
    CHECK(done.end.exit_code == 7);
    CHECK(test::lines_of(done.error_output).size() == 1);
    CHECK(done.error_output.find(other) != std::string::npos);
    CHECK(done.error_output.find(test::hex_sha256(bytes)) != std::string::npos);
    CHECK(client.names() == std::set<std::string>{"object.bin.bad.arkvory-part"});
    CHECK(test::holds(client.file("object.bin.bad.arkvory-part"), bytes));
  }
}
