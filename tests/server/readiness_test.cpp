// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/readiness.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace arkvory::server;

TEST_CASE("readiness has aggregates as plain numbers, and says what is wrong") {
  const auto fine = nlohmann::json::parse(readiness_answer({1, 2, 3, std::chrono::milliseconds(5), true, {}}).text);
  CHECK(fine == nlohmann::json::parse(
                    R"({"active":1,"waiting":2,"held":3,"lastTickSeconds":0.005,"store":"ok","problem":null})"));
  const auto failing = nlohmann::json::parse(readiness_answer({0, 0, 0, {}, true, "the disk is gone"}).text);
  CHECK(failing.at("store") == "failing");
  CHECK(failing.at("problem") == "the disk is gone");
  const auto unusable = nlohmann::json::parse(readiness_answer({0, 0, 0, {}, true, {}, "revision 3 is wrong"}).text);
  CHECK(unusable.at("store") == "ok");
  CHECK(unusable.at("problem") == "revision 3 is wrong");
  CHECK(nlohmann::json::parse(readiness_answer({}).text).at("store") == "memory");
}
