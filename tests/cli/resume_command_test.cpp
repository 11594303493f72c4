// SPDX-License-Identifier: Apache-2.0
#include "cli/resume_command.h"

#include <doctest/doctest.h>

#include "tests/cli/unfinished.h"

namespace arkvory::cli {

namespace {

ResumePlan plan(test::StateFolder& state, const ResumeCommand& command, const Environment& environment = {}) {
  auto plan = plan_resume(command, state.access, state.workspace, environment);
  if (!plan) FAIL(plan.error().text());
  return std::move(*plan);
}

}  // namespace

TEST_CASE("a resume makes the job again from its checkpoint") {
  test::StateFolder state;
  state.leave("a", "bytes");
  const auto made = plan(state, {.targets = {"a"}});
  REQUIRE(made.jobs.size() == 1);
  CHECK(made.failures.empty());
  CHECK(made.jobs[0].folder == state.current);
  CHECK(made.jobs[0].name == "a");
  CHECK(made.jobs[0].url.text() == "https://example.org/a?sig=secret");
  CHECK(made.jobs[0].shape.connections == 9);
  CHECK(made.jobs[0].resume);
}

TEST_CASE("--force goes into the job, and a target named twice is one job") {
  test::StateFolder state;
  state.leave("a", "bytes");
  const auto made = plan(state, {.targets = {"a", "./a"}, .force = true});
  REQUIRE(made.jobs.size() == 1);
  CHECK(made.jobs[0].shape.force);
  CHECK(made.failures.empty());
}

TEST_CASE("a target without a checkpoint is refused") {
  test::StateFolder state;
  const auto made = plan(state, {.targets = {"never"}});
  REQUIRE(made.failures.size() == 1);
  CHECK(made.failures[0].first == state.target("never"));
  CHECK(made.failures[0].second.fault == Fault::refused);
}

TEST_CASE("a header whose value was not kept is named (E11)") {
  test::StateFolder state;
  auto facts = test::StateFolder::facts();
  facts.shape.header_names = {"X-Key"};
  state.leave("a", "bytes", facts);
  ResumeCommand command{.targets = {"a"}};
  const auto lacking = plan(state, command);
  REQUIRE(lacking.failures.size() == 1);
  CHECK(lacking.failures[0].second.fault == Fault::auth);
  CHECK(lacking.failures[0].second.words.find("X-Key") != std::string::npos);
  command.run.credentials.headers.add("X-Key", "again");
  const auto whole = plan(state, command);
  REQUIRE(whole.jobs.size() == 1);
  CHECK(whole.jobs[0].headers.first("X-Key") == "again");
}

TEST_CASE("a token file is read again, and one named anew is kept in its place (E11)") {
  test::StateFolder state;
  const auto token_file = [&state](const std::string& name, const std::string& token) {
    std::ofstream(state.target(name)) << token;
    std::filesystem::permissions(state.target(name), std::filesystem::perms(0600));
    return state.target(name);
  };
  auto facts = test::StateFolder::facts();
  facts.shape.token_file = token_file("token", "first");
  state.leave("a", "bytes", facts);
  token_file("token", "second");
  CHECK(plan(state, {.targets = {"a"}}).jobs.at(0).headers.first("Authorization") == "Bearer second");
  token_file("other", "third");
  ResumeCommand command{.targets = {"a"}};
  command.run.credentials.token_file = state.target("other");
  const auto made = plan(state, command);
  CHECK(made.jobs.at(0).headers.first("Authorization") == "Bearer third");
  CHECK(made.jobs.at(0).shape.token_file == state.target("other"));
}

TEST_CASE("a damaged checkpoint is said and set aside") {
  test::StateFolder state;
  state.leave("a", "bytes");
  std::ofstream(checkpoint_path(state.target("a"))) << "{\"format\": 1, damaged";
  const auto made = plan(state, {.targets = {"a"}});
  REQUIRE(made.failures.size() == 1);
  CHECK(made.failures[0].second.fault == Fault::state);
  CHECK(state.exists(bad_checkpoint_path(state.target("a"))));
  CHECK(!state.exists(checkpoint_path(state.target("a"))));
}

TEST_CASE("a checkpoint of a newer version is said and stays untouched (E10)") {
  test::StateFolder state;
  state.leave("a", "bytes");
  const std::string text = "{\"format\": 999}\n";
  std::ofstream(checkpoint_path(state.target("a"))) << text;
  const auto made = plan(state, {.targets = {"a"}});
  REQUIRE(made.failures.size() == 1);
  CHECK(made.failures[0].second.fault == Fault::state);
  std::ifstream file(checkpoint_path(state.target("a")));
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
}

TEST_CASE("--all goes on with what is there, passes over what runs and forgets what is gone") {
  test::StateFolder state;
  state.leave("a", "bytes");
  auto running = test::StateFolder::facts();
  running.last_error.clear();
  state.leave("running", "bytes", running);
  const Checkpoint checkpoint{.progress = {.facts = running}, .writer = test::TwoProcesses::other()};
  std::ofstream(checkpoint_path(state.target("running"))) << encode_checkpoint(checkpoint);
  REQUIRE(state.registry.add(state.target("gone"), state.clock.wall_now()));

  const auto made = plan(state, {.all = true});
  CHECK(made.failures.empty());
  REQUIRE(made.jobs.size() == 1);
  CHECK(made.jobs[0].name == "a");
  CHECK(state.registry.targets()->entries.size() == 2);
}

TEST_CASE("--all with nothing to do is no failure") {
  test::StateFolder state;
  const auto made = plan(state, {.all = true});
  CHECK(made.jobs.empty());
  CHECK(made.failures.empty());
  state.access.registry = nullptr;
  CHECK(plan(state, {.all = true}).jobs.empty());
}

}  // namespace arkvory::cli
