// SPDX-License-Identifier: Apache-2.0
#include "cli/json_view.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/string_output.h"
#include "tests/sim/virtual_clock.h"

namespace arkvory::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto kFront = R"({"v":1,"time":"2027-01-01T00:00:00.000Z","event":)";

struct Stage {
  sim::VirtualClock clock;
  test::StringOutput out;
  JsonView view{out, clock};
};

Url url_of(std::string_view text) { return *Url::parse(text); }

}  // namespace

TEST_CASE("each event is a JSON line with its members in a fixed order") {
  Stage stage;
  const auto id = *DownloadId::parse("AAAAAAAAAAAAAAAAAAAAAA");
  const auto url = url_of("https://user:secret@example.org/a/image.iso?sig=secret");
  const auto now = stage.clock.wall_now();
  stage.view.started("/data/image.iso", {.url = url, .bytes = 5, .total = 10, .id = id});
  stage.view.waiting("/data/image.iso", {.reason = WaitReason::queue,
                                         .until = now + 5s,
                                         .position = 312,
                                         .starts_at = now + 47min,
                                         .starts_between = QueueNotice::Span{now + 40min, now + 50min},
                                         .download_class = "bulk"});
  stage.view.waiting("/data/image.iso", {.reason = WaitReason::fault, .until = now + 1s, .why = "reset"});
  stage.view.progress("/data/image.iso", {.bytes = 7, .total = 10, .rate = 2.5});
  stage.view.verifying("/data/image.iso");
  stage.view.notice("/data/image.iso", "state", "lock taken over");
  stage.view.finished("/data/image.iso",
                      {.bytes = 10, .sha256 = Sha256Digest(Sha256Digest::Bytes{}), .in_transfer = 5s});
  stage.view.finished("/data/other", {.error = Error{Fault::refused, "404 Not Found"}});
  stage.view.finished("/data/third", {.error = Error{Fault::interrupted, "stopped"}, .bytes = 3, .signal = 2});

  const std::string front = kFront;
  const std::vector<std::string> expected{
      front +
          R"("start","target":"/data/image.iso","url":"https://example.org/a/image.iso?…","bytes":5,"total":10,"resumed":true,"id":"AAAAAAAAAAAAAAAAAAAAAA"})",
      front +
          R"("waiting","target":"/data/image.iso","reason":"queue","position":312,"startsAt":"2027-01-01T00:47:00.000Z","startsBetween":["2027-01-01T00:40:00.000Z","2027-01-01T00:50:00.000Z"],"checkAt":"2027-01-01T00:00:05.000Z","class":"bulk"})",
      front +
          R"("waiting","target":"/data/image.iso","reason":"fault","checkAt":"2027-01-01T00:00:01.000Z","message":"reset"})",
      front + R"("progress","target":"/data/image.iso","bytes":7,"total":10,"rate":3})",
      front + R"("verifying","target":"/data/image.iso"})",
      front + R"("notice","target":"/data/image.iso","code":"state","message":"lock taken over"})",
      front +
          R"("result","target":"/data/image.iso","status":"ok","exit":0,"bytes":10,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","message":"10 B in 5 s at 2 B/s, SHA-256 verified"})",
      front +
          R"("result","target":"/data/other","status":"refused","exit":6,"bytes":0,"message":"404 Not Found; nothing was downloaded; check the address or name"})",
      front +
          R"("result","target":"/data/third","status":"signal","exit":130,"bytes":3,"message":"stopped by SIGINT; 3 B held and kept; arkvoryctl resume, or the same command, goes on"})",
  };
  CHECK(stage.out.lines() == expected);
  for (const auto& line : stage.out.lines()) {
    const auto json = nlohmann::json::parse(line);
    CHECK(json["v"] == 1);
    CHECK(json["target"].is_string());
    CHECK(line.find("secret") == std::string::npos);
  }
}

TEST_CASE("progress events come at most once a second for each target") {
  Stage stage;
  for (int i = 0; i < 40; ++i) {
    stage.view.progress("/a", {.bytes = 1});
    stage.view.progress("/b", {.bytes = 2});
    stage.clock.advance(100ms);
  }
  CHECK(stage.out.lines().size() == 8);
}

TEST_CASE("what an earlier run of a list has done has its result too") {
  Stage stage;
  stage.view.finished("/data/a", {.bytes = 3, .is_of_earlier_run = true});
  const auto json = nlohmann::json::parse(stage.out.text);
  CHECK(json["status"] == "ok");
  CHECK(json["bytes"] == 3);
  CHECK(json["message"] == "done by an earlier run of this list");
}

TEST_CASE("bytes that are no UTF-8 don't end the stream of events") {
  Stage stage;
  stage.view.notice("/data/\xff.bin", "state", "server said \xc3\x28");
  REQUIRE(stage.out.lines().size() == 1);
  const auto json = nlohmann::json::parse(stage.out.lines()[0]);
  CHECK(json["target"] == "/data/\uFFFD.bin");
  CHECK(json["message"] == "server said \uFFFD(");
}

TEST_CASE("a line's end in a message stays within its event") {
  Stage stage;
  stage.view.notice("/data/a\nb", "x", "one\ntwo");
  CHECK(stage.out.lines().size() == 1);
  CHECK(nlohmann::json::parse(stage.out.text)["message"] == "one\ntwo");
}

}  // namespace arkvory::cli
