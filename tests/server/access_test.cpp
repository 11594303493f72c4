// SPDX-License-Identifier: Apache-2.0
// Who may have what (protocol.md §2, §3, §6), before anything is looked up.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/protocol/problem.h"
#include "server-stub/http/routes.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr const char* kId = "0123456789abcdef";
const std::string kHex(64, 'a');

// The tokens are `alice-token`, `fleet-token` and `link-token`.
const Principals& configured() {
  static const auto principals = Principals::parse(R"({"principals":[
    {"name":"alice","kind":"person","tokenSha256":"9c220f200955d76c0a38d308225e0ef10c5f971acaf2f8d1d8f732affa5bd1dc"},
    {"name":"fleet","kind":"service","class":"bulk","tokenSha256":"233a1f78caac55c3cde9d5b2e2b5b001b018c84de79ef9a1819e46678e275749"}],
    "links":[{"name":"l1","issuer":"alice","path":"a/big.bin","tokenSha256":"ad6fe9d88840916c1d51f8e395b7c76a767186787fc878d2a9f3fe516f8aa8ec"}]})");
  REQUIRE(principals.has_value());
  return *principals;
}

Request request(std::string method, std::string target, std::vector<Headers::Field> fields = {}) {
  Request made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.headers.add("Host", "test");
  for (auto& field : fields) made.headers.add(field.name, field.value);
  return made;
}

Headers::Field bearer(const std::string& token) { return {"Authorization", "Bearer " + token}; }

Answer refused(const Request& asked, const Principals& principals = configured()) {
  auto routed = route(asked, principals);
  REQUIRE(std::holds_alternative<Answer>(routed));
  return std::get<Answer>(std::move(routed));
}

ObjectRequest allowed(const Request& asked, const Principals& principals = configured()) {
  auto routed = route(asked, principals);
  REQUIRE(std::holds_alternative<ObjectRequest>(routed));
  return std::get<ObjectRequest>(std::move(routed));
}

std::string code(const Answer& answer) {
  const auto problem = Problem::parse(answer.text);
  REQUIRE(problem);
  return problem->code;
}

}  // namespace

TEST_CASE("without principals everyone is anonymous, whatever token is sent") {
  for (const auto& fields :
       {std::vector<Headers::Field>{}, {bearer("alice-token")}, {{"Authorization", "Basic YTpi"}}}) {
    const auto asked = allowed(request("GET", "/files/a", fields), Principals());
    CHECK(asked.principal->name == "anonymous");
    CHECK(asked.download_class == DownloadClass::interactive);
  }
  CHECK(refused(request("GET", "/d/link-token"), Principals()).status == 404);
}

TEST_CASE("without a token of a principal the answer is 401, whether there is such an object or not") {
  const std::vector<std::vector<Headers::Field>> without{
      {},
      {bearer("other")},
      {{"Authorization", "Basic YWxpY2U6YWxpY2UtdG9rZW4="}},
      {{"Authorization", "Bearer"}},
      {{"Authorization", "Bearer "}},
      {{"Authorization", "alice-token"}},
      {{"Authorization", "Beareralice-token"}},
      {{"Authorization", ""}},
  };
  for (const auto& fields : without)
    for (const char* target : {"/files/a", "/files/", "/nothing", "/"}) {
      CAPTURE(target);
      const auto answer = refused(request("GET", target, fields));
      CHECK(answer.status == 401);
      CHECK(code(answer) == "unauthorized");
      CHECK(answer.headers.first("WWW-Authenticate") == "Bearer");
    }
  CHECK(refused(request("GET", "/api/v1/artifacts/sha256:" + kHex)).status == 401);
  CHECK(refused(request("DELETE", "/files/a", {{"Arkvory-Download-Id", kId}})).status == 401);
  CHECK_FALSE(refused(request("HEAD", "/files/a")).is_body_sent);
  CHECK(refused(request("GET", "/healthz")).status == 200);
  CHECK(refused(request("GET", "/nothing", {bearer("alice-token")})).status == 404);
}

TEST_CASE("the principal is the token's, its class can only be lowered (O2)") {
  CHECK(allowed(request("GET", "/files/a", {{"authorization", "bearer  alice-token"}})).principal->name == "alice");
  struct Case {
    const char* token;
    const char* asked;
    DownloadClass applied;
  };
  for (const auto& one : std::vector<Case>{{"alice-token", "", DownloadClass::interactive},
                                           {"alice-token", "background", DownloadClass::background},
                                           {"fleet-token", "", DownloadClass::bulk},
                                           {"fleet-token", "interactive", DownloadClass::bulk},
                                           {"fleet-token", "background", DownloadClass::background}}) {
    std::vector<Headers::Field> fields{bearer(one.token)};
    if (*one.asked != '\0') fields.push_back({"Arkvory-Download-Class", one.asked});
    const auto asked = allowed(request("GET", "/files/a", fields));
    CHECK(asked.download_class == one.applied);
    CHECK(asked.principal->own_class ==
          (asked.principal->name == "alice" ? DownloadClass::interactive : DownloadClass::bulk));
  }
}

TEST_CASE("a wrong shape is 400 and a wrong method 405 before anyone is asked for a token (S3)") {
  CHECK(refused(request("GET", "/files/../x")).status == 400);
  CHECK(refused(request("GET", "/api/v1/artifacts/sha256:abc")).status == 400);
  CHECK(refused(request("GET", "/files/a", {{"Arkvory-Download-Id", "short"}})).status == 400);
  CHECK(refused(request("GET", "/files/a", {{"Range", "bytes=5-4"}})).status == 400);
  CHECK(refused(request("DELETE", "/files/a")).status == 400);
  CHECK(refused(request("POST", "/files/a")).status == 405);
}

TEST_CASE("a link has its own path and nothing else") {
  const auto by_url = allowed(request("GET", "/d/link-token", {{"Range", "bytes=5-9"}}));
  const auto by_token = allowed(request("GET", "/files/a/big.bin", {bearer("link-token"), {"Range", "bytes=5-9"}}));
  for (const auto* asked : {&by_url, &by_token}) {
    CHECK(asked->principal->name == "link:l1");
    CHECK(asked->principal->counted_as() == "alice");
    CHECK(asked->download_class == DownloadClass::release);
    CHECK(canonical_text(asked->object) == "path:a/big.bin");
    CHECK(std::holds_alternative<SingleRange>(asked->range));
  }
  for (const std::string& target :
       std::vector<std::string>{"/files/a/big.bin2", "/files/a", "/files/", "/api/v1/artifacts/sha256:" + kHex}) {
    CAPTURE(target);
    const auto answer = refused(request("GET", target, {bearer("link-token")}));
    CHECK(answer.status == 403);
    CHECK(code(answer) == "forbidden");
  }
}

TEST_CASE("a share link's URL is the link, whoever else the request says it comes from") {
  const auto asked = allowed(request("HEAD", "/d/link-token?x=1", {bearer("alice-token")}));
  CHECK(asked.principal->name == "link:l1");
  CHECK(asked.action == Action::head);
  CHECK(allowed(request("DELETE", "/d/link-token", {{"Arkvory-Download-Id", kId}})).action == Action::cancel);
  for (const char* target : {"/d/", "/d/other", "/d/alice-token", "/d/link-token/", "/d/link-token/x"}) {
    CAPTURE(target);
    const auto answer = refused(request("GET", target, {bearer("alice-token")}));
    CHECK(answer.status == 404);
    CHECK(answer.text.find("token") == std::string::npos);
  }
  CHECK(refused(request("POST", "/d/link-token")).status == 405);
  CHECK(refused(request("GET", "/d/link-token", {{"Arkvory-Download-Class", "fast"}})).status == 400);
}

TEST_CASE("headers of the protocol that come twice are refused by name; a ticket is only passed over") {
  for (const Headers::Field& field : {Headers::Field{"Arkvory-Download-Id", kId},
                                      {"Arkvory-Download-Class", "bulk"},
                                      {"Range", "bytes=0-1"},
                                      bearer("alice-token")}) {
    CAPTURE(field.name);
    auto asked = request("GET", "/files/a", {field, field});
    const auto answer = refused(asked);
    CHECK(answer.status == 400);
    CHECK(Problem::parse(answer.text)->field == field.name);
  }
  const Headers::Field ticket{"Arkvory-Queue-Ticket", "2.a.b.c"};
  const auto token = bearer("alice-token");
  CHECK(allowed(request("GET", "/files/a", {token, ticket})).ticket->text() == "2.a.b.c");
  CHECK_FALSE(allowed(request("GET", "/files/a", {token})).ticket);
  CHECK_FALSE(allowed(request("GET", "/files/a", {token, ticket, ticket})).ticket);
  for (const auto& bad : {std::string(), std::string(129, 'x'), std::string("a b"), std::string("\xC3\xA4")})
    CHECK_FALSE(allowed(request("GET", "/files/a", {token, {"Arkvory-Queue-Ticket", bad}})).ticket);
}

TEST_CASE("an object has one text, however its URL is written (S1)") {
  for (const char* target : {"/files/a/b%20c", "/files/%61/b%20c", "http://h.example/files/a/b%20c?x"})
    CHECK(canonical_text(allowed(request("GET", target), Principals()).object) == "path:a/b c");
  const auto upper = allowed(request("GET", "/api/v1/artifacts/sha256:" + std::string(64, 'A')), Principals());
  CHECK(canonical_text(upper.object) == "artifact:sha256:" + kHex);
}
