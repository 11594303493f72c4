// SPDX-License-Identifier: Apache-2.0
// Downloads that are stopped in the middle, and what can be done with them then.
#include <doctest/doctest.h>
#include <signal.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/e2e/gated_origin.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

constexpr std::uint64_t kHeld = 3 * kMiB;

// A download of `name` that has 1 MiB and more and gets no further for now.
std::unique_ptr<test::Process> begun(const test::ClientFolder& client, const test::GatedOrigin& origin,
                                     const std::string& name) {
  auto process = std::make_unique<test::Process>(
      client.command("download", {"--json", "--range-size", "512KiB", "-o", name, origin.url()}), client.options());
  REQUIRE(test::next_progress(*process, kMiB));
  return process;
}

void stop(test::Process& process, int signal) {
  const SystemClock clock;
  const auto begin = clock.now();
  process.kill(signal);
  const auto end = process.wait();
  CHECK(clock.now() - begin < std::chrono::seconds(2));
  REQUIRE(end);
  CHECK(end->signal == signal);
}

}  // namespace

TEST_CASE("SIGTERM and SIGINT end a download within 2 s by that signal, and resume completes it") {
  const auto bytes = test::pattern(10, 16 * kMiB);
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    const test::ClientFolder client;
    test::GatedOrigin origin(bytes, kHeld);
    auto process = begun(client, origin, "object.bin");
    stop(*process, signal);
    const auto result = test::next_event(*process, "result");
    REQUIRE(result);
    CHECK(result->at("exit") == 128 + signal);
    CHECK(result->at("status") == "signal");

    CHECK(client.names() == std::set<std::string>{"object.bin.arkvory", "object.bin.arkvory-part"});
    const auto list = client.list();
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("v") == 1);
    CHECK(list[0].at("target") == client.file("object.bin").string());
    CHECK(list[0].at("state") == "paused");
    CHECK(list[0].at("bytes") >= kMiB);
    CHECK(list[0].at("total") == bytes.size());

    origin.open();
    const auto requests = origin.served().size();
    const auto done = client.run("resume", {client.file("object.bin").string()});
    CAPTURE(done.error_output);
    CHECK(done.end.exit_code == 0);
    CHECK(test::holds(client.file("object.bin"), bytes));
    CHECK(client.names() == std::set<std::string>{"object.bin"});
    CHECK(client.list().empty());
    std::uint64_t sent = 0;
    const auto served = origin.served();
    for (std::size_t i = requests; i < served.size(); ++i) sent += served[i].bytes_sent;
    // What was held is not fetched again; the allowance is for heads.
    CHECK(sent < bytes.size() - kMiB / 2);
  }
}

TEST_CASE("cancel removes the part file and the checkpoint of that one download only, and a second time ends with 6") {
  const auto bytes = test::pattern(11, 16 * kMiB);
  const test::ClientFolder client;
  const test::GatedOrigin one_origin(bytes, kHeld);
  const test::GatedOrigin other_origin(bytes, kHeld);
  test::put(client.file("one.bin.mine"), test::pattern(12, 10));
  auto one = begun(client, one_origin, "one.bin");
  auto other = begun(client, other_origin, "other.bin");

  const auto too_early = client.run("cancel", {"--yes", "one.bin"});
  CHECK(too_early.end.exit_code == 8);
  CHECK(too_early.error_output.find(std::to_string(one->pid())) != std::string::npos);
  stop(*one, SIGTERM);
  stop(*other, SIGTERM);
  CHECK(client.list().size() == 2);

  const auto unasked = client.run("cancel", {"one.bin"});
  CHECK(unasked.end.exit_code == 2);
  CHECK(client.names().contains("one.bin.arkvory-part"));

  const auto done = client.run("cancel", {"--yes", "one.bin"});
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 0);
  CHECK(client.names() == std::set<std::string>{"one.bin.mine", "other.bin.arkvory", "other.bin.arkvory-part"});
  const auto list = client.list();
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("target") == client.file("other.bin").string());

  const auto again = client.run("cancel", {"--yes", "one.bin"});
  CHECK(again.end.exit_code == 6);
  CHECK(test::lines_of(again.error_output).size() == 1);
  CHECK(again.error_output.find("one.bin") != std::string::npos);
  CHECK(client.names() == std::set<std::string>{"one.bin.mine", "other.bin.arkvory", "other.bin.arkvory-part"});
}

TEST_CASE("a second process on the same target ends with 8, names the first one's pid, and disturbs nothing") {
  const auto bytes = test::pattern(13, 16 * kMiB);
  const test::ClientFolder client;
  test::GatedOrigin origin(bytes, kHeld);
  auto first = begun(client, origin, "object.bin");
  const auto names = client.names();
  const auto second = client.run("download", {"-q", "-o", "object.bin", origin.url()});
  CHECK(second.end.exit_code == 8);
  CHECK(test::lines_of(second.error_output).size() == 1);
  CHECK(second.error_output.find(std::to_string(first->pid())) != std::string::npos);
  CHECK(client.names() == names);
  const auto list = client.list();
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("state") == "running");

  origin.open();
  const auto result = test::next_event(*first, "result");
  REQUIRE(result);
  CHECK(result->at("status") == "ok");
  const auto end = first->wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK(test::holds(client.file("object.bin"), bytes));
}
