// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/setting_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "server-stub/scheduler/setting_options.h"
#include "server-stub/scheduler/windows.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

SchedulerSettings over(const SchedulerSettings& environment, std::string_view overrides,
                       Reading reading = Reading::strict) {
  const auto json = parse_written_json(overrides);
  return overridden(environment, {json, "/overrides"}, reading);
}

// Where it is wrong; empty where it isn't.
std::string fault(std::string_view overrides, Reading reading = Reading::strict) {
  try {
    over({}, overrides, reading);
    return {};
  } catch (const JsonFault& wrong) {
    CHECK_FALSE(wrong.words.empty());
    CHECK(wrong.line().find('\n') == std::string::npos);
    return wrong.pointer.empty() ? "the document" : wrong.pointer;
  }
}

}  // namespace

TEST_CASE("all settings are shown by the names of the table, and windows") {
  std::set<std::string> expected{"windows"};
  for (const auto& row : setting_rows()) expected.insert(setting_name(row));
  std::set<std::string> shown;
  const auto all = settings_json({});
  for (const auto& [name, value] : all.items()) shown.insert(name);
  CHECK(shown == expected);
}

TEST_CASE("what is shown can be stored again and means the same") {
  const auto changed = over({}, R"({"strategy":"smallest-first","sessions":8,"reserve":3,"perPrincipal":2,
      "weights":{"interactive":1000,"release":3,"bulk":2,"background":1},"sessionMinBytes":"1MB","idleSeconds":0.5,
      "agingMinutes":0,"preempt":false,"rangesPerSession":7,"bandwidthOrder":"equal","bandwidthFloor":"1KiB/s",
      "restartGraceSeconds":0,"windows":{"bulk":[{"days":"sat,sun","from":"22:00","to":"24:00",
      "zone":"Europe/Berlin","outsideShare":0.25}],"background":[{"from":"00:00","to":"06:05"}]}})");
  auto shown = settings_json(changed);
  CHECK(shown["idleSeconds"] == 0.5);
  CHECK(shown["windows"]["bulk"][0]["days"] == "sat,sun");
  CHECK(shown["windows"]["bulk"][0]["outsideShare"] == 0.25);
  CHECK(shown["windows"]["background"][0]["days"] == "mon-sun");
  for (const auto& row : setting_rows())
    if (row.is_fixed) shown.erase(setting_name(row));
  const auto again = over({}, shown.dump());
  CHECK(settings_json(again) == settings_json(changed));
  for (const auto name : {DownloadClass::bulk, DownloadClass::background})
    CHECK(again.windows->windows(name) == changed.windows->windows(name));
}

TEST_CASE("no overrides leave the environment's values") {
  SchedulerSettings environment;
  environment.sessions = 3;
  environment.reserve = 5;
  environment.per_principal = 9;
  CHECK(settings_json(over(environment, "{}")) == settings_json(environment));
}

TEST_CASE("what is wrong in overrides is named by a JSON Pointer") {
  CHECK(fault(R"({"weights":{"bulk":0}})") == "/overrides/weights/bulk");
  CHECK(fault(R"({"weights":{"interactive":8,"release":4,"bulk":1001,"background":1}})") == "/overrides/weights/bulk");
  CHECK(fault(R"({"weights":{"interactive":8,"release":4,"background":1}})") == "/overrides/weights/bulk");
  CHECK(fault(R"({"weights":{"interactive":8,"release":4,"bulk":2,"background":1,"huge":1}})") ==
        "/overrides/weights/huge");
  CHECK(fault(R"({"weights":[8,4,2]})") == "/overrides/weights");
  CHECK(fault(R"({"sessions":0})") == "/overrides/sessions");
  CHECK(fault(R"({"sessions":-1})") == "/overrides/sessions");
  CHECK(fault(R"({"sessions":1.5})") == "/overrides/sessions");
  CHECK(fault(R"({"sessions":null})") == "/overrides/sessions");
  CHECK(fault(R"({"sessions":[4]})") == "/overrides/sessions");
  CHECK(fault(R"({"preempt":1})") == "/overrides/preempt");
  CHECK(fault(R"({"strategy":"fair"})") == "/overrides/strategy");
  CHECK(fault(R"({"sesions":4})") == "/overrides/sesions");
  CHECK(fault(R"({"windows":{"bulk":[{"from":"22:00"}]}})") == "/overrides/windows/bulk/0/to");
  CHECK(fault(R"({"windows":{"bulk":[{"from":"22:00","to":"06:00","zone":"Mars/Crater"}]}})") ==
        "/overrides/windows/bulk/0/zone");
  CHECK(fault(R"({"windows":{"bulk":[{"from":"22:00","to":"06:00","outsideShare":1.5}]}})") ==
        "/overrides/windows/bulk/0/outsideShare");
  CHECK(fault(R"({"windows":{"slow":[]}})") == "/overrides/windows/slow");
  CHECK(fault(R"({"windows":[]})") == "/overrides/windows");
  CHECK(fault("[]") == "/overrides");
  CHECK(fault(R"({"sessions":4,"sessions":5})") == "/sessions");
  CHECK(fault("{") == "the document");
}

TEST_CASE("what sizes memory at the start can't be overridden, however it is read") {
  int fixed = 0;
  for (const auto& row : setting_rows()) {
    if (!row.is_fixed) continue;
    ++fixed;
    const auto name = setting_name(row);
    for (const auto reading : {Reading::strict, Reading::lenient})
      CHECK(fault("{\"" + name + "\":1}", reading) == "/overrides/" + name);
  }
  CHECK(fixed == 6);
}

TEST_CASE("fewer sessions alone lower the reserve and the share of a principal to fit, and raise nothing") {
  SchedulerSettings environment;
  environment.sessions = 8;
  environment.reserve = 3;
  environment.per_principal = 4;
  const auto fewer = over(environment, R"({"sessions":2})");
  CHECK(fewer.seats() == 2);
  CHECK(fewer.reserve == 2);
  CHECK(fewer.per_principal == 2);
  const auto more = over(environment, R"({"sessions":32})");
  CHECK(more.reserve == 3);
  CHECK(more.per_principal == 4);
  environment.per_principal = 0;  // off is not a number of seats
  CHECK(over(environment, R"({"sessions":2})").per_principal == 0);
}

TEST_CASE("a reserve or a share above the sessions is refused where it is asked for, and lowered where it is stored") {
  CHECK(fault(R"({"sessions":2,"reserve":3})") == "/overrides/reserve");
  CHECK(fault(R"({"sessions":2,"perPrincipal":3})") == "/overrides/perPrincipal");
  CHECK(fault(R"({"perPrincipal":17})") == "/overrides/perPrincipal");
  CHECK(fault(R"({"sessions":2,"reserve":2,"perPrincipal":2})").empty());
  CHECK(over({}, R"({"sessions":2,"reserve":3})", Reading::lenient).reserve == 2);
}

TEST_CASE("a lenient reading skips what a newer version wrote, and no known value that is out of range") {
  const auto newer = over({}, R"({"sessions":5,"colour":"red",
      "weights":{"interactive":8,"release":4,"bulk":3,"background":1,"huge":9},
      "windows":{"bulk":[{"from":"22:00","to":"06:00","holidays":"none"}],"slow":7}})",
                          Reading::lenient);
  CHECK(newer.seats() == 5);
  CHECK(newer.weight(DownloadClass::bulk) == 3);
  CHECK(newer.windows->has_any(DownloadClass::bulk));
  CHECK(fault(R"({"sessions":0})", Reading::lenient) == "/overrides/sessions");
  CHECK(fault(R"({"windows":{"bulk":[{"from":"26:00","to":"06:00"}]}})", Reading::lenient) ==
        "/overrides/windows/bulk/0/from");
}
