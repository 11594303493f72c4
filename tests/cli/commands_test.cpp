// SPDX-License-Identifier: Apache-2.0
// list, cancel and verify.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/cancel_command.h"
#include "cli/list_command.h"
#include "cli/verify_command.h"
#include "tests/cli/unfinished.h"

namespace arkvory::cli {

namespace {

// Leaves a download that a living process says it works on.
void leave_running(test::StateFolder& state, const std::string& name) {
  auto facts = test::StateFolder::facts();
  facts.last_error.clear();
  state.leave(name, "bytes", facts);
  const Checkpoint checkpoint{.progress = {.facts = facts}, .writer = test::TwoProcesses::other()};
  std::ofstream(checkpoint_path(state.target(name))) << encode_checkpoint(checkpoint);
}

Question answer(bool yes) {
  return [yes](const std::string&) { return yes; };
}

const std::string kHundred(100, 'x');

}  // namespace

TEST_CASE("list shows unfinished downloads with state, bytes and last error") {
  test::StateFolder state;
  state.leave("a", "bytes");
  leave_running(state, "b");
  REQUIRE(state.registry.add(state.target("gone"), state.clock.wall_now()));
  const auto list = unfinished_downloads(state.access);
  REQUIRE(list);
  REQUIRE(list->downloads.size() == 2);
  const auto json = nlohmann::json::parse(list_line(list->downloads[0]));
  CHECK(json["v"] == 1);
  CHECK(json["target"] == state.target("a").native());
  CHECK(json["state"] == "paused");
  CHECK(json["bytes"] == 5);
  CHECK(json["total"] == 100);
  CHECK(json["url"] == "https://example.org/a?…");
  CHECK(json["lastError"] == "connection reset");
  CHECK(list->downloads[1].state == UnfinishedState::running);
  CHECK(!nlohmann::json::parse(list_line(list->downloads[1])).contains("lastError"));
}

TEST_CASE("list shows a damaged checkpoint as damaged and touches nothing") {
  test::StateFolder state;
  state.leave("a", "bytes");
  std::ofstream(checkpoint_path(state.target("a"))) << "damaged";
  const auto list = unfinished_downloads(state.access);
  REQUIRE(list);
  REQUIRE(list->downloads.size() == 1);
  CHECK(list->downloads[0].state == UnfinishedState::damaged);
  CHECK(!list->downloads[0].last_error.empty());
  CHECK(state.exists(checkpoint_path(state.target("a"))));
}

TEST_CASE("list is a table for people") {
  Unfinished one{.target = "/data/a\n.bin", .bytes = 5 << 20, .total = 10 << 20, .last_error = "reset"};
  Unfinished two{.target = "/data/b", .state = UnfinishedState::running, .bytes = 1, .position = 312};
  CHECK(list_table({one, two}, {}) ==
        "STATE    HELD     OF        PLACE  STARTS  TARGET        LAST ERROR\n"
        "paused   5.0 MiB  10.0 MiB  -      -       /data/a .bin  reset\n"
        "running  1 B      ?         312    -       /data/b\n");
  CHECK(list_table({}, {}).empty());
}

TEST_CASE("list tells the place in the queue and its start, as a server last told them") {
  test::StateFolder state;
  auto facts = test::StateFolder::facts();
  facts.place = QueuePlace{312, WallTime(std::chrono::seconds(1798764420))};
  state.leave("a", "bytes", facts);
  const auto list = unfinished_downloads(state.access);
  REQUIRE(list);
  const auto json = nlohmann::json::parse(list_line(list->downloads.at(0)));
  CHECK(json["position"] == 312);
  CHECK(json["startsAt"] == "2027-01-01T00:47:00.000Z");
}

TEST_CASE("cancel has something to tell only a server that showed itself as one of ours") {
  test::StateFolder state;
  auto facts = test::StateFolder::facts();
  state.leave("a", "bytes", facts);
  facts.is_arkvory = true;
  state.leave("b", "bytes", facts);
  const auto nothing = release_for(state.access, state.target("a"), {});
  REQUIRE(nothing);
  CHECK_FALSE(nothing->has_value());
  const auto release = release_for(state.access, state.target("b"), {{"ARKVORY_TOKEN", "t"}});
  REQUIRE(release);
  REQUIRE(release->has_value());
  CHECK((*release)->method == Method::remove);
  CHECK((*release)->headers.first("Arkvory-Download-Id") == facts.id.text());
  CHECK((*release)->headers.first("Authorization") == "Bearer t");
  CHECK_FALSE(release_for(state.access, state.target("none"), {})->has_value());
}

TEST_CASE("cancel removes part file, checkpoint and entry, and nothing else") {
  test::StateFolder state;
  state.leave("a", "bytes");
  std::ofstream(state.target("a")) << "finished";
  std::ofstream(state.target("b")) << "other";
  REQUIRE(cancel(state.access, state.target("a"), {}));
  CHECK(!state.exists(part_path(state.target("a"))));
  CHECK(!state.exists(checkpoint_path(state.target("a"))));
  CHECK(state.exists(state.target("a")));
  CHECK(state.exists(state.target("b")));
  CHECK(state.registry.targets()->entries.empty());
}

TEST_CASE("cancel does what the user answers") {
  test::StateFolder state;
  state.leave("a", "bytes");
  const auto kept = cancel(state.access, state.target("a"), answer(false));
  REQUIRE(kept);
  CHECK(*kept == Cancelled::kept);
  CHECK(state.exists(part_path(state.target("a"))));
  CHECK(*cancel(state.access, state.target("a"), answer(true)) == Cancelled::yes);
  CHECK(!state.exists(part_path(state.target("a"))));
}

TEST_CASE("cancel refuses what is unknown or running, without a question") {
  test::StateFolder state;
  leave_running(state, "a");
  unsigned questions = 0;
  const Question count = [&questions](const std::string&) {
    ++questions;
    return true;
  };
  const auto unknown = cancel(state.access, state.target("never"), count);
  REQUIRE(!unknown);
  CHECK(unknown.error().fault == Fault::refused);
  const auto running = cancel(state.access, state.target("a"), count);
  REQUIRE(!running);
  CHECK(running.error().fault == Fault::locked);
  CHECK(questions == 0);
  CHECK(state.exists(checkpoint_path(state.target("a"))));
}

TEST_CASE("verify compares a finished file with the digest given") {
  test::StateFolder state;
  std::ofstream(state.target("abc")) << "abc";
  const auto right = Sha256Digest::from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(verify(state.files, state.target("abc"), right));
  const auto wrong = verify(state.files, state.target("abc"), Sha256Digest(Sha256Digest::Bytes{}));
  REQUIRE(!wrong);
  CHECK(wrong.error().fault == Fault::integrity);
  CHECK(wrong.error().words.find("ba7816bf") != std::string::npos);
}

TEST_CASE("verify needs a digest for a finished file, and something to verify at all") {
  test::StateFolder state;
  std::ofstream(state.target("abc")) << "abc";
  const auto finished = verify(state.files, state.target("abc"), std::nullopt);
  REQUIRE(!finished);
  CHECK(finished.error().fault == Fault::usage);
  CHECK(finished.error().words.find("--sha256") != std::string::npos);
  CHECK(verify(state.files, state.target("never"), std::nullopt).error().fault == Fault::refused);
  CHECK(verify(state.files, state.current, std::nullopt).error().fault == Fault::local);
}

TEST_CASE("verify finds the damaged blocks of a part file") {
  test::StateFolder state;
  state.leave("a", kHundred);
  CHECK(verify(state.files, state.target("a"), std::nullopt));
  auto damaged = kHundred;
  damaged[50] = 'y';
  std::ofstream(part_path(state.target("a"))) << damaged;
  const auto found = verify(state.files, state.target("a"), std::nullopt);
  REQUIRE(!found);
  CHECK(found.error().fault == Fault::integrity);
  CHECK(found.error().words == "damaged blocks: 0 (bytes 0-99)");
}

TEST_CASE("verify finds a part file that is too short or gone (E2)") {
  test::StateFolder state;
  state.leave("a", kHundred);
  std::filesystem::resize_file(part_path(state.target("a")), 60);
  CHECK(verify(state.files, state.target("a"), std::nullopt).error().fault == Fault::integrity);
  std::filesystem::remove(part_path(state.target("a")));
  CHECK(verify(state.files, state.target("a"), std::nullopt).error().fault == Fault::integrity);
}

}  // namespace arkvory::cli
