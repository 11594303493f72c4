// SPDX-License-Identifier: Apache-2.0
#include "server-stub/http/operator_routes.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/protocol/problem.h"
#include "server-stub/http/routes.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr const char* kSettings = "/api/v1/system/downloads/settings";

ControlKeys keys() {
  const std::string key = "secret";
  Sha256 sum;
  sum.update(std::as_bytes(std::span(key)));
  auto parsed = ControlKeys::parse("ops " + sum.finish().to_hex());
  REQUIRE(parsed.has_value());
  return *parsed;
}

Request request(std::string method, std::string target, std::string authorization = "Bearer secret") {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers.add("Host", "test");
  if (!authorization.empty()) request.headers.add("Authorization", std::move(authorization));
  return request;
}

int status(const Request& request, const ControlKeys& keys) {
  const auto routed = route(request, Principals(), keys);
  if (std::holds_alternative<OperatorRequest>(routed)) return 200;
  return std::get<Answer>(routed).status;
}

OperatorRequest asked(const Request& request) {
  const auto routed = route(request, Principals(), keys());
  REQUIRE(std::holds_alternative<OperatorRequest>(routed));
  return std::get<OperatorRequest>(routed);
}

// The place that a refused change is wrong at.
std::string field_of(std::string_view body) {
  const auto read = read_settings_change(body, {});
  REQUIRE(std::holds_alternative<Answer>(read));
  const auto& answer = std::get<Answer>(read);
  CHECK(answer.status == 400);
  const auto problem = Problem::parse(answer.text);
  REQUIRE(problem);
  CHECK(problem->code == "invalid_request");
  return problem->field;
}

}  // namespace

TEST_CASE("without control keys the operator API is not there") {
  CHECK(status(request("GET", kSettings), {}) == 404);
  CHECK(status(request("PUT", kSettings, ""), {}) == 404);
}

TEST_CASE("a control key that is wrong or missing is refused before anything is told") {
  for (const auto* target : {kSettings, "/api/v1/system/downloads/accounts/fleet", "/api/v1/system/downloads/none"})
    for (const auto* authorization : {"", "Bearer wrong", "Bearer", "Basic secret", "secret"}) {
      CAPTURE(authorization);
      CHECK(status(request("GET", target, authorization), keys()) == 401);
      CHECK(status(request("POST", target, authorization), keys()) == 401);
    }
  auto twice = request("GET", kSettings);
  twice.headers.add("Authorization", "Bearer secret");
  CHECK(status(twice, keys()) == 400);
}

TEST_CASE("the calls of the operator API are told apart, with the name of the key") {
  const auto read = asked(request("GET", kSettings));
  CHECK(read.call == OperatorCall::settings);
  CHECK_FALSE(read.is_change);
  CHECK(read.who == "ops");
  CHECK(asked(request("PUT", kSettings, "bearer  secret")).is_change);
  CHECK_FALSE(asked(request("HEAD", kSettings)).is_change);
  const auto account = asked(request("PUT", "/api/v1/system/downloads/accounts/build%2Fone?x"));
  CHECK(account.call == OperatorCall::account);
  CHECK(account.account == "build/one");
  CHECK(status(request("GET", "/api/v1/system/downloads/none"), keys()) == 404);
  CHECK(status(request("GET", "/api/v1/system/downloads/accounts/"), keys()) == 404);
  CHECK(status(request("GET", "/api/v1/system/downloads/accounts/%G0"), keys()) == 404);
  CHECK(status(request("DELETE", kSettings), keys()) == 405);
}

TEST_CASE("the body of a change by an operator is kept, and of nothing else") {
  CHECK(needs_body(request("PUT", kSettings), keys()));
  CHECK_FALSE(needs_body(request("GET", kSettings), keys()));
  CHECK_FALSE(needs_body(request("PUT", kSettings, "Bearer wrong"), keys()));
  CHECK_FALSE(needs_body(request("PUT", kSettings), {}));
  CHECK_FALSE(needs_body(request("PUT", "/files/a"), keys()));
}

TEST_CASE("a change of settings has a revision and overrides; what is wrong with it is named by a JSON Pointer") {
  const auto read = read_settings_change(R"({"expectedRevision":3,"overrides":{"sessions": 2}})", {});
  REQUIRE(std::holds_alternative<SettingsChange>(read));
  CHECK(std::get<SettingsChange>(read).expected_revision == 3);
  CHECK(std::get<SettingsChange>(read).overrides == R"({"sessions":2})");
  CHECK(field_of(R"({"expectedRevision":3,"overrides":{"weights":{"bulk":0}}})") == "/overrides/weights/bulk");
  CHECK(field_of(R"({"expectedRevision":3,"overrides":{"maxDownloads":3}})") == "/overrides/maxDownloads");
  CHECK(field_of(R"({"expectedRevision":3,"overrides":{"sessions":2,"sessions":3}})") == "/overrides/sessions");
  CHECK(field_of(R"({"expectedRevision":3,"overrides":[]})") == "/overrides");
  CHECK(field_of(R"({"expectedRevision":-1,"overrides":{}})") == "/expectedRevision");
  CHECK(field_of(R"({"expectedRevision":"3","overrides":{}})") == "/expectedRevision");
  CHECK(field_of(R"({"expectedRevision":18446744073709551615,"overrides":{}})") == "/expectedRevision");
  CHECK(field_of(R"({"overrides":{}})") == "/expectedRevision");
  CHECK(field_of(R"({"expectedRevision":3})") == "/overrides");
  CHECK(field_of(R"({"expectedRevision":3,"overrides":{},"by":"me"})") == "/by");
  CHECK(field_of("").empty());
  CHECK(field_of("[1]").empty());
  CHECK(field_of(std::string(100, '[')).starts_with("/0/0"));
  CHECK(field_of("{\"overrides\":\"\xFF\"}").empty());
}

TEST_CASE("a change is checked against what this server makes of it") {
  SchedulerSettings environment;
  environment.sessions = 2;
  constexpr const char* kChange = R"({"expectedRevision":0,"overrides":{"reserve":4}})";
  CHECK(std::holds_alternative<Answer>(read_settings_change(kChange, environment)));
  environment.sessions = 8;
  CHECK(std::holds_alternative<SettingsChange>(read_settings_change(kChange, environment)));
}

TEST_CASE("a change of an account has a revision and a class, or null for the file's") {
  const auto read = read_account_change(R"({"expectedRevision":1,"class":"bulk"})");
  REQUIRE(std::holds_alternative<AccountChange>(read));
  CHECK(std::get<AccountChange>(read).expected_revision == 1);
  CHECK(std::get<AccountChange>(read).own_class == DownloadClass::bulk);
  const auto back = read_account_change(R"({"expectedRevision":2,"class":null})");
  REQUIRE(std::holds_alternative<AccountChange>(back));
  CHECK_FALSE(std::get<AccountChange>(back).own_class);
  for (const auto& [body, field] :
       {std::pair(R"({"expectedRevision":1,"class":"huge"})", "/class"),
        std::pair(R"({"class":"bulk"})", "/expectedRevision"), std::pair(R"({"expectedRevision":1})", "/class"),
        std::pair(R"({"expectedRevision":1,"class":7})", "/class")}) {
    const auto refused = read_account_change(body);
    REQUIRE(std::holds_alternative<Answer>(refused));
    CHECK(Problem::parse(std::get<Answer>(refused).text)->field == field);
  }
}

TEST_CASE("a mismatch tells the current revision") {
  const auto answer = revision_mismatch(7);
  CHECK(answer.status == 409);
  const auto problem = Problem::parse(answer.text);
  REQUIRE(problem);
  CHECK(problem->code == "revision_mismatch");
  CHECK(problem->revision == 7);
}

TEST_CASE("of an account the stored class is told before that of the file") {
  const Principal fleet{"fleet", PrincipalKind::service, DownloadClass::release};
  const auto plain = nlohmann::json::parse(account_answer(fleet, {"fleet"}).text);
  CHECK(plain["class"] == "release");
  CHECK(plain["revision"] == 0);
  CHECK(plain["updatedBy"].is_null());
  const WallTime time{std::chrono::milliseconds(1'796'040'000'123)};
  const auto stored = nlohmann::json::parse(account_answer(fleet, {"fleet", DownloadClass::bulk, 2, "ops", time}).text);
  CHECK(stored["class"] == "bulk");
  CHECK(stored["fileClass"] == "release");
  CHECK(stored["revision"] == 2);
  CHECK(stored["updatedBy"] == "ops");
  CHECK(stored["updatedAt"] == "2026-11-30T12:00:00.123Z");
}
