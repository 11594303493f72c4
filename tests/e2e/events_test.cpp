// SPDX-License-Identifier: Apache-2.0
// The JSON events, which other programs live on.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/e2e/gated_origin.h"
#include "tests/support/pattern.h"

using namespace arkvory;

TEST_CASE("the first event is there within a second of the start, even where the server says nothing") {
  const test::ClientFolder client;
  const test::RawOrigin silent([](const test::RawRequest&, test::RawConnection& connection) { connection.stall(); });
  const SystemClock clock;
  const auto begin = clock.now();
  test::Process process(client.command("download", {"--json", "-o", "object.bin", silent.url("/object.bin")}),
                        client.options());
  const auto line = process.read_line(std::chrono::seconds(30));
  CHECK(clock.now() - begin < std::chrono::seconds(1));
  REQUIRE(line);
  const auto event = nlohmann::json::parse(*line);
  CHECK(event.at("event") == "start");
  CHECK(event.at("url") == silent.url("/object.bin"));
  CHECK(event.at("bytes") == 0);
  CHECK(event.at("resumed") == false);
}

TEST_CASE("every line of --json is an event of the target, from `start` to one `result` with the digest") {
  const test::ClientFolder client;
  const auto bytes = test::pattern(8, 20 * kMiB);
  const test::GatedOrigin origin(bytes);
  const auto done =
      client.run("download", {"--json", "--sha256", test::hex_sha256(bytes), "-o", "object.bin", origin.url()});
  CAPTURE(done.output);
  CHECK(done.end.exit_code == 0);
  CHECK(done.error_output.empty());
  std::vector<nlohmann::json> events;
  for (const auto& line : test::lines_of(done.output)) {
    events.push_back(nlohmann::json::parse(line));
    const auto& event = events.back();
    CHECK(event.at("v") == 1);
    CHECK(parse_rfc3339(event.at("time").get<std::string>()));
    CHECK(event.at("event").is_string());
    CHECK(event.at("target") == client.file("object.bin").string());
  }
  REQUIRE(events.size() >= 2);
  CHECK(events.front().at("event") == "start");
  const auto results = std::ranges::count_if(events, [](const auto& event) { return event.at("event") == "result"; });
  CHECK(results == 1);
  const auto& result = events.back();
  CHECK(result.at("event") == "result");
  CHECK(result.at("status") == "ok");
  CHECK(result.at("exit") == 0);
  CHECK(result.at("bytes") == bytes.size());
  CHECK(result.at("sha256") == test::hex_sha256(bytes));
}

TEST_CASE("a failure is a `result` too, with the exit status in words and as a number") {
  const test::ClientFolder client;
  const test::RawOrigin origin([](const test::RawRequest&, test::RawConnection& connection) {
    Headers headers;
    headers.add("Content-Length", "0");
    connection.send_head(404, headers);
  });
  const auto done = client.run("download", {"--json", "-o", "object.bin", origin.url("/object.bin")});
  CHECK(done.end.exit_code == 6);
  const auto lines = test::lines_of(done.output);
  REQUIRE(!lines.empty());
  const auto result = nlohmann::json::parse(lines.back());
  CHECK(result.at("event") == "result");
  CHECK(result.at("status") == "refused");
  CHECK(result.at("exit") == 6);
  CHECK(!result.at("message").get<std::string>().empty());
}
