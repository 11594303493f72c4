// SPDX-License-Identifier: Apache-2.0
// The operator API of the real server: settings and accounts' classes that change while it runs.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/base/digest.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using test::ask;
using Json = nlohmann::json;

namespace {

constexpr const char* kSettings = "/api/v1/system/downloads/settings";
constexpr const char* kFleet = "/api/v1/system/downloads/accounts/fleet";

std::string hash(std::string_view text) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.finish().to_hex();
}

std::string bearer(std::string_view key) { return "Authorization: Bearer " + std::string(key) + "\r\n"; }

test::Reply put(std::uint16_t port, std::string_view target, std::string_view body, std::string_view key = "secret",
                std::string_view extra = {}) {
  test::RawClient client(port);
  client.send(
      test::request("PUT", target,
                    bearer(key) + std::string(extra) + "Content-Length: " + std::to_string(body.size()) + "\r\n") +
      std::string(body));
  return client.read_reply();
}

Json get(std::uint16_t port, std::string_view target = kSettings) {
  const auto reply = ask(port, "GET", target, bearer("secret"));
  CHECK(reply.status == 200);
  CHECK(reply.header("Content-Type") == "application/json");
  CHECK(reply.header("Cache-Control") == "no-store");
  return Json::parse(reply.body);
}

// Reads the log of the server up to a line with the text.
std::string wait_for(test::Stub& stub, std::string_view text) {
  while (true) {
    const auto line = stub.process.read_error_line(std::chrono::seconds(20));
    REQUIRE_MESSAGE(line.has_value(), "waited in vain for " << text);
    if (line->find(text) != std::string::npos) return *line;
  }
}

struct Place {
  test::TempFolder folder;
  std::filesystem::path keys = folder / "keys";
  std::filesystem::path state = folder / "state";
  std::filesystem::path root = folder / "root";

  Place() {
    test::put(keys, "ops " + hash("secret") + "\n");
    test::put(root / "a", "bytes");
  }
  std::vector<std::string> options(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--control-key-file", keys.string(), "--state", state.string()});
    return more;
  }
};

constexpr const char* kId = "Arkvory-Download-Id: 0123456789abcdef\r\n";

// Whether objects as small as `a` need a seat: then their answers have a ticket.
bool has_ticket(std::uint16_t port) {
  return !ask(port, "GET", "/files/a", kId).header("Arkvory-Queue-Ticket").empty();
}

}  // namespace

TEST_CASE("without a control key file the operator API is 404, with one a wrong or missing key is 401") {
  const Place place;
  {
    test::Stub stub(place.root);
    CHECK(ask(stub.port, "GET", kSettings, bearer("secret")).status == 404);
  }
  test::Stub stub(place.root, place.options());
  CHECK(ask(stub.port, "GET", kSettings).status == 401);
  CHECK(ask(stub.port, "GET", kSettings, bearer("wrong")).status == 401);
  CHECK(put(stub.port, kSettings, R"({"expectedRevision":0,"overrides":{}})", "wrong").status == 401);
  CHECK(ask(stub.port, "GET", kSettings, bearer("secret")).status == 200);
  CHECK(stub.stop() == 0);
  CHECK(stub.process.error_output().find("secret") == std::string::npos);
}

TEST_CASE("a control key file that is wrong or missing is one line, and exit 2") {
  const Place place;
  for (const auto* text : {"ops\n", ""}) {
    test::put(place.keys, text);
    const auto finished = test::run(test::Stub::arguments(place.root, place.options()));
    CHECK(finished.end.exit_code == 2);
    CHECK(finished.error_output.find(place.keys.string()) != std::string::npos);
  }
}

TEST_CASE("settings change without a restart, and come back to the environment's values") {
  const Place place;
  test::Stub stub(place.root, place.options({"--sessions", "8"}));
  CHECK(get(stub.port)["revision"] == 0);
  CHECK_FALSE(has_ticket(stub.port));
  const auto changed = put(
      stub.port, kSettings,
      R"({"expectedRevision":0,"overrides":{"sessionMinBytes":0,"sessions":2,"windows":{"bulk":[{"from":"22:00","to":"06:00"}]}}})");
  CHECK(changed.status == 200);
  const auto now = Json::parse(changed.body);
  CHECK(now["revision"] == 1);
  CHECK(now["effective"]["sessions"] == 2);
  CHECK(now["effective"]["perPrincipal"] == 2);
  CHECK(now["effective"]["windows"]["bulk"][0]["from"] == "22:00");
  CHECK(now["environment"]["sessions"] == 8);
  CHECK(now["updatedBy"] == "ops");
  CHECK(now["problem"].is_null());
  CHECK(get(stub.port) == now);
  CHECK(has_ticket(stub.port));

  const auto shared =
      put(stub.port, kSettings, R"({"expectedRevision":1,"overrides":{"sessionMinBytes":0,"strategy":"shared"}})");
  CHECK(Json::parse(shared.body)["admission"] == "per-request");
  CHECK_FALSE(has_ticket(stub.port));

  const auto back = put(stub.port, kSettings, R"({"expectedRevision":2,"overrides":{}})");
  CHECK(back.status == 200);
  CHECK(Json::parse(back.body)["effective"] == Json::parse(back.body)["environment"]);
  CHECK_FALSE(has_ticket(stub.port));
}

TEST_CASE("a change that is refused changes nothing: 409 with the current revision, 400 with the place") {
  const Place place;
  test::Stub stub(place.root, place.options());
  CHECK(put(stub.port, kSettings, R"({"expectedRevision":0,"overrides":{"sessions":2}})").status == 200);
  const auto late = put(stub.port, kSettings, R"({"expectedRevision":0,"overrides":{"sessions":3}})");
  CHECK(late.status == 409);
  CHECK(Json::parse(late.body)["code"] == "revision_mismatch");
  CHECK(Json::parse(late.body)["revision"] == 1);
  const auto wrong = put(stub.port, kSettings, R"({"expectedRevision":1,"overrides":{"weights":{"bulk":0}}})");
  CHECK(wrong.status == 400);
  CHECK(wrong.header("Content-Type") == "application/problem+json");
  CHECK(Json::parse(wrong.body)["field"] == "/overrides/weights/bulk");
  CHECK(put(stub.port, kSettings, R"({"expectedRevision":1,"overrides":{"queueLimit":9}})").status == 400);
  CHECK(put(stub.port, kSettings, "").status == 400);
  CHECK(put(stub.port, kSettings, std::string(65537, ' ')).status == 413);
  CHECK(ask(stub.port, "DELETE", kSettings, bearer("secret")).header("Allow") == "GET, HEAD, PUT");
  CHECK(get(stub.port)["effective"]["sessions"] == 2);
}

TEST_CASE("a body may come in pieces, after its client was told to go on, and the connection serves on") {
  const Place place;
  test::Stub stub(place.root, place.options());
  const std::string body = R"({"expectedRevision":0,"overrides":{"sessions":2}})";
  test::RawClient client(stub.port);
  client.send(test::request(
      "PUT", kSettings,
      bearer("secret") + "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"));
  CHECK(client.read_head().status == 100);
  client.send(body.substr(0, 10));
  client.send(body.substr(10) + test::request("GET", kSettings, bearer("secret")));
  const auto changed = client.read_reply();
  CHECK(changed.status == 200);
  CHECK(client.read_reply().body == changed.body);
  client.send(test::request("HEAD", kSettings, bearer("secret")));
  const auto head = client.read_reply(false);
  CHECK(head.status == 200);
  CHECK(head.header("Content-Length") == std::to_string(changed.body.size()));
}

TEST_CASE("stored settings are in force after a restart, before the first request") {
  const Place place;
  {
    test::Stub stub(place.root, place.options());
    CHECK(put(stub.port, kSettings, R"({"expectedRevision":0,"overrides":{"sessionMinBytes":0}})").status == 200);
    CHECK(stub.stop() == 0);
  }
  test::Stub stub(place.root, place.options({"--restart-grace-seconds", "0"}));
  CHECK(has_ticket(stub.port));
  CHECK(get(stub.port)["revision"] == 1);
}

TEST_CASE("another process on the same state takes a newer record: at once when asked, else within seconds") {
  const Place place;
  test::Stub one(place.root, place.options());
  test::Stub asked(place.root, place.options());
  test::Stub left_alone(place.root, place.options());
  CHECK(put(one.port, kSettings, R"({"expectedRevision":0,"overrides":{"sessionMinBytes":0}})").status == 200);
  CHECK(get(asked.port)["revision"] == 1);
  CHECK(has_ticket(asked.port));
  CHECK(put(asked.port, kSettings, R"({"expectedRevision":0,"overrides":{}})").status == 409);
  const auto line = wait_for(left_alone, "settings_applied");
  CHECK(line.find("revision=1") != std::string::npos);
  CHECK(has_ticket(left_alone.port));
}

TEST_CASE("without a state folder settings change all the same, until the end of the process") {
  const Place place;
  test::Stub stub(place.root, {"--control-key-file", place.keys.string()});
  CHECK(put(stub.port, kSettings, R"({"expectedRevision":0,"overrides":{"sessionMinBytes":0}})").status == 200);
  CHECK(has_ticket(stub.port));
}

TEST_CASE("control keys are read again on SIGHUP, and a file that can't be used changes nothing") {
  const Place place;
  test::Stub stub(place.root, place.options());
  test::put(place.keys, "night " + hash("other") + "\n");
  stub.process.kill(SIGHUP);
  wait_for(stub, "control_keys_reloaded");
  CHECK(ask(stub.port, "GET", kSettings, bearer("secret")).status == 401);
  CHECK(ask(stub.port, "GET", kSettings, bearer("other")).status == 200);
  test::put(place.keys, "night\n");
  stub.process.kill(SIGHUP);
  wait_for(stub, "control_keys_kept");
  CHECK(ask(stub.port, "GET", kSettings, bearer("other")).status == 200);
}

TEST_CASE("a service's stored class wins over the principals file, also after that is read again") {
  const Place place;
  const auto principals = place.folder / "principals.json";
  const auto file = [](const std::string& own_class) {
    return R"({"principals":[{"name":"fleet","kind":"service","class":")" + own_class + R"(","tokenSha256":")" +
           hash("fleet") + R"("},{"name":"alice","kind":"person","tokenSha256":")" + hash("alice") + R"("}]})";
  };
  test::put(principals, file("release"));
  const auto options = place.options({"--principals", principals.string()});
  const auto class_of_fleet = [](const test::Stub& stub) {
    return ask(stub.port, "GET", "/files/a", bearer("fleet")).header("Arkvory-Download-Class");
  };
  {
    test::Stub stub(place.root, options);
    CHECK(get(stub.port, kFleet)["class"] == "release");
    CHECK(class_of_fleet(stub) == "release");
    const auto changed = put(stub.port, kFleet, R"({"expectedRevision":0,"class":"background"})");
    CHECK(changed.status == 200);
    CHECK(Json::parse(changed.body)["class"] == "background");
    CHECK(Json::parse(changed.body)["updatedBy"] == "ops");
    CHECK(class_of_fleet(stub) == "background");
    CHECK(put(stub.port, kFleet, R"({"expectedRevision":0,"class":"bulk"})").status == 409);
    CHECK(put(stub.port, kFleet, R"({"expectedRevision":1,"class":"huge"})").status == 400);
    CHECK(
        put(stub.port, "/api/v1/system/downloads/accounts/alice", R"({"expectedRevision":0,"class":"bulk"})").status ==
        404);
    CHECK(ask(stub.port, "GET", "/api/v1/system/downloads/accounts/none", bearer("secret")).status == 404);
    // A principal's token operates nothing.
    CHECK(ask(stub.port, "GET", kFleet, bearer("alice")).status == 401);
    test::put(principals, file("interactive"));
    stub.process.kill(SIGHUP);
    wait_for(stub, "principals_reloaded");
    CHECK(class_of_fleet(stub) == "background");
    CHECK(get(stub.port, kFleet)["fileClass"] == "interactive");
    CHECK(stub.stop() == 0);
  }
  test::Stub stub(place.root, options);
  CHECK(class_of_fleet(stub) == "background");
  CHECK(put(stub.port, kFleet, R"({"expectedRevision":1,"class":null})").status == 200);
  CHECK(class_of_fleet(stub) == "interactive");
}
