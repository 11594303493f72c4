// SPDX-License-Identifier: Apache-2.0
// Lists of downloads by the real client: order, memory, kills, failures of several kinds.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/e2e/gated_origin.h"
#include "tests/support/object_answer.h"
#include "tests/support/pattern.h"
#include "tests/support/raw_origin.h"

using namespace arkvory;

namespace {

constexpr std::size_t kSize = 3000;

std::vector<std::byte> content(const std::string& path) { return test::pattern(std::hash<std::string>{}(path), kSize); }

// Serves a file for every path: no digest, no length of time. `/missing…` is 404, `/busy…` is 503.
void serve(const test::RawRequest& request, test::RawConnection& connection) {
  if (request.target.starts_with("/missing")) {
    connection.send_head(404, {});
    return connection.close();
  }
  if (request.target.starts_with("/busy")) {
    Headers fields;
    fields.add("Retry-After", "600");
    fields.add("Content-Length", "0");
    return connection.send_head(503, fields);
  }
  const auto bytes = content(request.target);
  const auto answer = test::answer_for({.size = bytes.size(), .etag = "\"v1\""}, request.method, request.headers);
  connection.send_head(answer.status, answer.headers);
  if (answer.bytes) connection.send(std::span(bytes).subspan(answer.bytes->begin(), answer.bytes->length()));
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

std::vector<std::string> paths_of(const test::RawOrigin& origin) {
  std::vector<std::string> paths;
  for (const auto& served : origin.served()) paths.push_back(served.request.target);
  return paths;
}

// The results in a run's events, by the name of the target.
std::map<std::string, nlohmann::json> results_of(const test::Finished& run) {
  std::map<std::string, nlohmann::json> results;
  for (const auto& line : test::lines_of(run.output)) {
    const auto event = nlohmann::json::parse(line);
    if (event.at("event") != "result") continue;
    results[std::filesystem::path(event.at("target").get<std::string>()).filename()] = event;
  }
  return results;
}

// The paths a list of `count` lines has, in its order.
std::string path_of(int number) { return "/file-" + std::to_string(number); }

}  // namespace

TEST_CASE("a list's downloads begin in its order, and its files are those that it names") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  const auto a = test::hex_sha256(content("/a"));
  write(client.beside("list"), "\xEF\xBB\xBF# a list\r\n" + origin.url("/c") + "\r\n{\"url\":\"" + origin.url("/a") +
                                   "\",\"out\":\"sub/a\",\"sha256\":\"" + a + "\"}\n\n" + origin.url("/b") +
                                   "\tout=sub/deep/b");
  const auto run = client.run("download", {"-j", "1", "-i", client.beside("list")});
  CAPTURE(run.error_output);
  CHECK(run.end.exit_code == 0);
  CHECK(paths_of(origin) == std::vector<std::string>{"/c", "/a", "/b"});
  CHECK(test::holds(client.file("c"), content("/c")));
  CHECK(test::holds(client.file("sub/a"), content("/a")));
  CHECK(test::holds(client.file("sub/deep/b"), content("/b")));
  CHECK(test::lines_of(run.error_output).back().find("3 ended well") != std::string::npos);
}

TEST_CASE("a SHA256SUMS file with --base-url names files and their digests") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  write(client.beside("SUMS"), test::hex_sha256(content("/d/one%20file")) + "  one file\n" +
                                   test::hex_sha256(content("/d/two")) + " *./two\n");
  const std::vector<std::string> arguments{"-i", client.beside("SUMS"), "--base-url", origin.url("/d")};
  const auto run = client.run("download", arguments);
  CAPTURE(run.error_output);
  CHECK(run.end.exit_code == 0);
  CHECK(test::holds(client.file("one file"), content("/d/one%20file")));
  CHECK(test::holds(client.file("two"), content("/d/two")));
  // Again: each is compared with its digest, and nothing is asked for.
  CHECK(client.run("download", arguments).end.exit_code == 0);
  CHECK(origin.served().size() == 2);
}

TEST_CASE("E8: failures of different kinds end with 14, alike ones with their own status") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  const auto list = client.beside("list");
  write(list, origin.url("/missing") + "\tout=missing\n" + origin.url("/busy") + "\tout=busy\n" + origin.url("/good") +
                  "\tout=good\n");
  const auto run = client.run("download", {"--json", "--keep-going", "--wait-limit", "1s", "-i", list});
  CAPTURE(run.error_output);
  CHECK(run.end.exit_code == 14);
  auto results = results_of(run);
  CHECK(results["missing"].at("exit") == 6);
  CHECK(results["busy"].at("exit") == 3);
  CHECK(results["good"].at("exit") == 0);
  CHECK(test::holds(client.file("good"), content("/good")));

  write(list, origin.url("/missing") + "\tout=missing\n" + origin.url("/missing2") + "\tout=missing2\n");
  CHECK(client.run("download", {"--keep-going", "-i", list}).end.exit_code == 6);
}

TEST_CASE("without --keep-going the first failure keeps the rest from beginning, and the last line counts it") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  const auto list = client.beside("list");
  write(list, origin.url("/missing") + "\tout=missing\nnonsense\n" + origin.url("/good") + "\tout=good\n");
  const auto run = client.run("download", {"-j", "1", "-i", list});
  CHECK(run.end.exit_code == 6);
  CHECK(origin.served().size() == 1);
  const auto last = test::lines_of(run.error_output).back();
  CHECK(last.find("0 ended well; 1 failed; 2 not begun; the same command goes on") != std::string::npos);

  const auto further = client.run("download", {"-j", "1", "--keep-going", "-i", list});
  CHECK(further.end.exit_code == 14);
  CHECK(further.error_output.find("line 2: 'nonsense' is no absolute URL") != std::string::npos);
  CHECK(test::holds(client.file("good"), content("/good")));
}

TEST_CASE("two entries with one target: the first one's file stays, at once or one after the other") {
  for (const auto* at_once : {"1", "2"}) {
    const test::RawOrigin origin(serve);
    const test::ClientFolder client;
    const auto list = client.beside("list");
    write(list, origin.url("/one") + "\tout=same\n" + origin.url("/two") + "\tout=same\n");
    const auto run = client.run("download", {"-j", at_once, "-i", list});
    CAPTURE(run.error_output);
    CHECK((run.end.exit_code == 10 || run.end.exit_code == 8));
    CHECK(test::holds(client.file("same"), content("/one")));
    CHECK(client.names() == std::set<std::string>{"same"});
    // Nor is the second taken for done by the next run.
    CHECK(client.run("download", {"-j", "1", "-i", list}).end.exit_code == 10);
  }
}

TEST_CASE("a list killed again and again is finished by the same command, and nothing is fetched twice but what ran") {
  constexpr int kLines = 300;
  constexpr int kAtOnce = 4;
  constexpr int kKills = 6;
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  std::string text;
  for (int i = 0; i < kLines; ++i)
    text += origin.url(path_of(i)) + (i % 2 == 0 ? "" : "\tout=other-" + std::to_string(i)) + "\n";
  write(client.beside("list"), text);
  const auto command = client.command("download", {"-q", "-j", std::to_string(kAtOnce), "-i", client.beside("list")});
  for (int kill = 1; kill <= kKills; ++kill) {
    test::Process process(command, client.options());
    REQUIRE(origin.wait_for_requests(kill * 40));
    process.kill(SIGKILL);
    REQUIRE(process.wait());
  }
  const auto end = client.run("download", {"-j", std::to_string(kAtOnce), "-i", client.beside("list")});
  CAPTURE(end.error_output);
  CHECK(end.end.exit_code == 0);
  CHECK(end.error_output.find("in earlier runs") != std::string::npos);
  for (int i = 0; i < kLines; ++i) {
    const auto name = i % 2 == 0 ? "file-" + std::to_string(i) : "other-" + std::to_string(i);
    CHECK(test::holds(client.file(name), content(path_of(i))));
  }
  CHECK(client.names().size() == kLines);
  CHECK(origin.served().size() <= kLines + kKills * kAtOnce);
}

TEST_CASE("a list stopped by a signal goes on where it was") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  std::string text;
  for (int i = 0; i < 200; ++i) text += origin.url(path_of(i)) + "\tout=f" + std::to_string(i) + "\n";
  write(client.beside("list"), text);
  {
    test::Process process(client.command("download", {"-q", "-i", client.beside("list")}), client.options());
    REQUIRE(origin.wait_for_requests(50));
    process.kill(SIGTERM);
    const auto end = process.wait();
    REQUIRE(end);
    CHECK(end->signal == SIGTERM);
  }
  const auto end = client.run("download", {"-i", client.beside("list")});
  CHECK(end.end.exit_code == 0);
  CHECK(origin.served().size() <= 200 + 4);
}

TEST_CASE("a list of 100,000 lines that fail takes no more memory than a short one") {
  const test::ClientFolder client;
  const auto url = "http://127.0.0.1:" + std::to_string(test::closed_port()) + "/f\tout=f";
  {
    std::ofstream list(client.beside("list"));
    for (int i = 0; i < 100'000; ++i) list << "nonsense " << i << "\n";
    list << url << "\n";
  }
  auto options = client.options();
  options.error_file = client.beside("errors");
  const auto command = client.command(
      "download", {"--keep-going", "--max-retries", "0", "--max-attempts", "1", "-i", client.beside("list")});
  const auto run = test::run(command, options);
  CHECK(run.end.exit_code == 14);
#ifdef __SANITIZE_THREAD__
  constexpr std::uint64_t kMost = 96 * kMiB;  // ThreadSanitizer has a shadow of all that is touched
#else
  constexpr std::uint64_t kMost = 24 * kMiB;
#endif
  CHECK(run.end.peak_bytes < kMost);
}

TEST_CASE("a list from a pipe is read as it comes, and what runs does not wait for it") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  auto options = client.options();
  options.input = origin.url("/a") + "\n" + origin.url("/b");
  const auto run = test::run(client.command("download", {"-i", "-"}), options);
  CHECK(run.end.exit_code == 0);
  CHECK(test::holds(client.file("a"), content("/a")));
  CHECK(test::holds(client.file("b"), content("/b")));

  // The writer's end stays open: the first file is there while the list has not ended.
  const auto script = "(printf '%s\\n' " + origin.url("/c") + "; read line < fifo; printf '%s\\n' " + origin.url("/d") +
                      ") | exec " + ARKVORYCTL + " download --json -i -";
  test::Process process({"sh", "-c", "mkfifo fifo && " + script}, client.options());
  const auto result = test::next_event(process, "result");
  REQUIRE(result);
  CHECK(test::holds(client.file("c"), content("/c")));
  write(client.file("fifo"), "\n");
  CHECK(test::next_event(process, "result"));
  const auto end = process.wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
}

TEST_CASE("-o - writes the verified bytes to standard output, and nothing where they are wrong") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  const auto bytes = content("/a");
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto run = client.run("download", {"-o", "-", "--sha256", test::hex_sha256(bytes), origin.url("/a")});
  CAPTURE(run.error_output);
  CHECK(run.end.exit_code == 0);
  CHECK(run.output == text);
  CHECK(run.error_output.find("standard output: ") != std::string::npos);
  const auto wrong = client.run("download", {"-o", "-", "--sha256", std::string(64, 'a'), origin.url("/a")});
  CHECK(wrong.end.exit_code == 7);
  CHECK(wrong.output.empty());
  CHECK(client.names().empty());
  CHECK(client.run("download", {"-o", "-", "--json", origin.url("/a")}).end.exit_code == 2);
}

TEST_CASE("--checksums knows the digest, from a file or a URL") {
  std::string sums = test::hex_sha256(content("/a")) + "  a\n" + std::string(64, 'b') + "  b\n";
  const test::RawOrigin origin([&sums](const test::RawRequest& request, test::RawConnection& connection) {
    if (request.target != "/SUMS") return serve(request, connection);
    Headers fields;
    fields.add("Content-Length", std::to_string(sums.size()));
    connection.send_head(200, fields);
    connection.send(sums);
  });
  const test::ClientFolder client;
  write(client.beside("SUMS"), sums);
  for (const auto& source : {client.beside("SUMS").string(), origin.url("/SUMS")}) {
    const auto right = client.run("download", {"--force", "--checksums", source, origin.url("/a")});
    CAPTURE(right.error_output);
    CHECK(right.end.exit_code == 0);
    CHECK(right.error_output.find("SHA-256 verified") != std::string::npos);
    CHECK(client.run("download", {"--checksums", source, origin.url("/b")}).end.exit_code == 7);
    const auto none = client.run("download", {"--checksums", source, origin.url("/c")});
    CHECK(none.end.exit_code == 2);
    CHECK(none.error_output.find("no entry for c") != std::string::npos);
  }
  CHECK(client.run("download", {"--checksums", origin.url("/missing"), origin.url("/d")}).end.exit_code == 6);
  CHECK(client.run("download", {"--checksums", "absent", origin.url("/d")}).end.exit_code == 2);
}

TEST_CASE("--dry-run tells what would be done, asks for nothing and changes nothing") {
  const test::RawOrigin origin(serve);
  const test::ClientFolder client;
  write(client.file("there"), "x");
  write(client.beside("list"), origin.url("/a") + "\tout=new/a\n" + origin.url("/b") + "\tout=there\n");
  const auto run = client.run("download", {"--dry-run", "-i", client.beside("list")});
  CHECK(run.end.exit_code == 10);
  const auto lines = test::lines_of(run.output);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("would fetch " + origin.url("/a")) != std::string::npos);
  CHECK(lines[1].find("there: would fail: exists already") == 0);
  CHECK(origin.served().empty());
  CHECK(client.names() == std::set<std::string>{"there"});
  const auto out = client.run("download", {"--dry-run", "-o", "-", origin.url("/a")});
  CHECK(out.end.exit_code == 0);
  CHECK(!std::filesystem::exists(client.beside("state")));
}

TEST_CASE("--wait-lock waits for the other process, and finds what it has made") {
  const auto bytes = test::pattern(31, 16 * kMiB);
  const test::ClientFolder client;
  test::GatedOrigin origin(bytes, 2 * kMiB);
  const auto digest = test::hex_sha256(bytes);
  test::Process first(client.command("download", {"--json", "-o", "f", origin.url()}), client.options());
  REQUIRE(test::next_progress(first, kMiB));
  test::Process second(
      client.command("download", {"--json", "--wait-lock", "--sha256", digest, "-o", "f", origin.url()}),
      client.options());
  const auto waiting = test::next_event(second, "waiting");
  REQUIRE(waiting);
  CHECK(waiting->at("reason") == "lock");
  origin.open();
  REQUIRE(first.wait());
  const auto requests = origin.served().size();
  const auto result = test::next_event(second, "result");
  REQUIRE(result);
  CHECK(result->at("status") == "ok");
  CHECK(origin.served().size() == requests);
  CHECK(test::holds(client.file("f"), bytes));
}
