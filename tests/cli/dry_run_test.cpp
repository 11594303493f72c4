// SPDX-License-Identifier: Apache-2.0
#include "cli/dry_run.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/engine/file_names.h"
#include "tests/cli/unfinished.h"

namespace arkvory::cli {

namespace {

Job job(const test::StateFolder& state, const std::string& name) {
  return {.url = *Url::parse("https://example.org/a?sig=secret"), .folder = state.current, .name = name};
}

std::string sentence(test::StateFolder& state, const Job& job) {
  return plan_sentence(plan_of(job, state.files, state.processes), state.current);
}

}  // namespace

TEST_CASE("a plan tells URL, target, what is held, the digest and the options, and no secret") {
  test::StateFolder state;
  auto one = job(state, "new");
  CHECK(sentence(state, one) ==
        "new: would fetch https://example.org/a?…, verified by a digest of the server's if it sends one");
  one.shape.sha256 = Sha256Digest::from_hex(std::string(64, 'a'));
  one.shape.download_class = "bulk";
  one.shape.limit_rate = 1 << 20;
  CHECK(sentence(state, one) == "new: would fetch https://example.org/a?…, verified by SHA-256 " +
                                    std::string(64, 'a') + ", class bulk, at most 1.0 MiB/s");
  state.leave("held", std::string(40, 'x'));
  CHECK(sentence(state, job(state, "held"))
            .starts_with("held: would go on with https://example.org/a?…, 40 B held of 100 B"));
  CHECK(sentence(state, job(state, "")).find("a: would fetch https://example.org/a?…, if the server") == 0);
}

TEST_CASE("a plan tells the failure that would come at once") {
  test::StateFolder state;
  std::ofstream(state.target("there")) << "x";
  auto one = job(state, "there");
  CHECK(plan_of(one, state.files, state.processes).failure->fault == Fault::local);
  one.shape.force = true;
  CHECK(!plan_of(one, state.files, state.processes).failure);
  one.shape.sha256 = Sha256Digest::from_hex(std::string(64, 'a'));
  CHECK(sentence(state, one).find("be compared with its digest, and if it differs fetch") != std::string::npos);
  state.leave("damaged", "x");
  std::ofstream(checkpoint_path(state.target("damaged"))) << "{";
  CHECK(plan_of(job(state, "damaged"), state.files, state.processes).failure->fault == Fault::state);
  CHECK(state.exists(checkpoint_path(state.target("damaged"))));
}

TEST_CASE("a plan as an event has the status that would come") {
  test::StateFolder state;
  std::ofstream(state.target("there")) << "x";
  const auto event = nlohmann::json::parse(
      plan_event(plan_of(job(state, "there"), state.files, state.processes), state.clock.wall_now()));
  CHECK(event.at("event") == "plan");
  CHECK(event.at("target") == state.target("there").string());
  CHECK(event.at("exit") == 10);
  CHECK(event.at("url") == "https://example.org/a?…");
}

}  // namespace arkvory::cli
