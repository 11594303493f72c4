// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/live_settings.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace arkvory;
using namespace arkvory::server;
using Json = nlohmann::json;

namespace {

constexpr WallTime kTime{std::chrono::milliseconds(1'796'040'000'123)};

SchedulerSettings environment() {
  SchedulerSettings settings;
  settings.sessions = 8;
  return settings;
}

Result<UnderstoodSettings> record(std::uint64_t revision, std::string overrides) {
  return understand(environment(), {revision, std::move(overrides), "ops", kTime});
}

Result<UnderstoodSettings> failure() { return fail(Fault::local, "cannot read the database"); }

Json shown(const LiveSettings& live) { return Json::parse(live.to_json()); }

}  // namespace

TEST_CASE("without a record the environment's values are in force") {
  LiveSettings live(environment());
  CHECK_FALSE(live.take(understand(environment(), {})));
  CHECK(live.in_force().seats() == 8);
  CHECK(live.problem().empty());
  const auto all = shown(live);
  CHECK(all["revision"] == 0);
  CHECK(all["overrides"] == Json::object());
  CHECK(all["effective"] == all["environment"]);
  CHECK(all["effective"]["sessions"] == 8);
  CHECK(all["updatedBy"].is_null());
  CHECK(all["updatedAt"].is_null());
  CHECK(all["admission"] == "session");
  CHECK(all["problem"].is_null());
}

TEST_CASE("only a newer revision than the running one is taken, and an older one is told") {
  LiveSettings live(environment());
  CHECK(live.take(record(3, R"({"sessions":3,"strategy":"shared"})")));
  CHECK(live.in_force().seats() == 3);
  CHECK_FALSE(live.take(record(3, R"({"sessions":4})")));
  CHECK(live.problem().empty());
  CHECK_FALSE(live.take(record(2, R"({"sessions":2})")));
  CHECK(live.in_force().seats() == 3);
  CHECK(live.problem().find("revision 2") != std::string::npos);
  CHECK_FALSE(live.is_store_failing());
  CHECK(live.take(record(5, "{}")));
  CHECK(live.in_force().seats() == 8);
  CHECK(live.problem().empty());
}

TEST_CASE("what is in force is shown with who stored it and when, and how requests are admitted") {
  LiveSettings live(environment());
  REQUIRE(live.take(record(3, R"({"sessions":3,"strategy":"shared"})")));
  const auto all = shown(live);
  CHECK(all["revision"] == 3);
  CHECK(all["overrides"] == Json::parse(R"({"sessions":3,"strategy":"shared"})"));
  CHECK(all["effective"]["sessions"] == 3);
  CHECK(all["environment"]["sessions"] == 8);
  CHECK(all["updatedBy"] == "ops");
  CHECK(all["updatedAt"] == "2026-11-30T12:00:00.123Z");
  CHECK(all["admission"] == "per-request");
}

TEST_CASE("a record out of range is a problem, and the environment's values are in force until a newer one is right") {
  LiveSettings live(environment());
  REQUIRE(live.take(record(1, R"({"sessions":3})")));
  for (const auto* bad : {R"({"sessions":0})", R"({"queueLimit":7})", "no JSON", "[]", ""}) {
    CAPTURE(bad);
    const auto next = live.record().revision + 1;
    CHECK(live.take(record(next, bad)));
    CHECK(live.in_force().seats() == 8);
    CHECK(live.problem().find("revision " + std::to_string(next)) != std::string::npos);
    CHECK_FALSE(live.is_store_failing());
    CHECK(shown(live)["revision"] == next);
    CHECK(shown(live)["problem"] == live.problem());
  }
  CHECK(live.take(record(9, R"({"sessions":4,"unknown":true})")));
  CHECK(live.in_force().seats() == 4);
  CHECK(live.problem().empty());
}

TEST_CASE("a store that fails leaves in force what is, says so, and is forgotten once it works") {
  LiveSettings live(environment());
  CHECK_FALSE(live.take(failure()));
  CHECK(live.in_force().seats() == 8);
  CHECK(live.problem().find("the environment's values are in force") != std::string::npos);
  CHECK(live.problem().find("cannot read the database") != std::string::npos);
  CHECK(live.is_store_failing());
  CHECK(live.take(record(1, R"({"sessions":3})")));
  CHECK(live.problem().empty());
  CHECK_FALSE(live.take(failure()));
  CHECK(live.in_force().seats() == 3);
  CHECK(live.problem().find("revision 1 is in force") != std::string::npos);
  CHECK_FALSE(live.take(record(1, R"({"sessions":3})")));
  CHECK(live.problem().empty());
  CHECK_FALSE(live.is_store_failing());
}
