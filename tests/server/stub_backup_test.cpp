// SPDX-License-Identifier: Apache-2.0
// `backup` and `restore` of the real program, beside a server that runs.
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "core/base/digest.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

constexpr const char* kFleet = "/api/v1/system/downloads/accounts/fleet";

std::string hash(std::string_view text) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.finish().to_hex();
}

std::string with_key(std::string_view extra = {}) { return "Authorization: Bearer secret\r\n" + std::string(extra); }

}  // namespace

TEST_CASE("a service's class goes from a running server by backup and restore to a server on another folder") {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "root");
  test::put(folder / "principals",
            R"({"principals":[{"name":"fleet","kind":"service","tokenSha256":")" + hash("token") + R"("}]})");
  test::put(folder / "keys", "ops " + hash("secret") + "\n");
  const auto started = [&folder](const char* state) {
    return test::Stub(folder / "root", {"--principals", (folder / "principals").string(), "--control-key-file",
                                        (folder / "keys").string(), "--state", (folder / state).string()});
  };
  auto first = started("first");
  const std::string body = R"({"expectedRevision":0,"class":"bulk"})";
  test::RawClient client(first.port);
  client.send(test::request("PUT", kFleet, with_key("Content-Length: " + std::to_string(body.size()) + "\r\n")) + body);
  REQUIRE(client.read_reply().status == 200);

  const auto file = (folder / "backup").string();
  const auto backed_up = test::run({ARKVORY_STUB, "backup", file, "--state", (folder / "first").string()});
  CHECK(backed_up.end.exit_code == 0);
  CHECK(backed_up.error_output.empty());
  CHECK(backed_up.output == file +
                                ": accounts 1, rows of the audit 1; never in a backup: the ticket key, the queue,"
                                " the settings\n");
  const auto again = test::run({ARKVORY_STUB, "backup", file, "--state", (folder / "first").string()});
  CHECK(again.end.exit_code == 10);
  CHECK(again.error_output == "arkvory-stub: " + file + " is there already: remove it or name another file\n");

  const auto restored = test::run({ARKVORY_STUB, "restore", file, "--state", (folder / "second").string()});
  CHECK(restored.end.exit_code == 0);
  CHECK(restored.output.starts_with((folder / "second").string() + ": accounts 1, rows of the audit 1"));
  auto second = started("second");
  const auto shown = test::ask(second.port, "GET", kFleet, with_key());
  CHECK(shown.status == 200);
  CHECK_MESSAGE(shown.body.find(R"("class":"bulk")") != std::string::npos, shown.body);
  CHECK_MESSAGE(shown.body.find(R"("revision":1)") != std::string::npos, shown.body);
}
