// SPDX-License-Identifier: Apache-2.0
// The real client against the real server where much goes wrong, each time in the same way.
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "core/base/size.h"
#include "tests/e2e/client.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"

using namespace arkvory;

namespace {

constexpr std::string_view kScript = R"([
  {"path": "/files/*", "times": 2, "busy": {"retryAfter": 1}},
  {"path": "/files/*", "times": 1, "emptyReply": {}},
  {"path": "/files/*", "times": 1, "status": {"code": 502, "body": "a proxy"}},
  {"path": "/files/*", "times": 2, "cut": {"after": "3MB"}},
  {"path": "/files/*", "times": 1, "reset": {"after": "1MB"}},
  {"path": "/files/*", "times": 1, "stall": {"after": "1MB", "for": "200ms"}},
  {"path": "/files/*", "times": 1, "wrongRange": {"shift": 7}},
  {"path": "/files/*", "times": 1, "corrupt": {"at": "25MB"}},
  {"path": "/files/*", "times": 1, "longLength": {"by": 5}}])";

}  // namespace

TEST_CASE("through a mix of mishaps a download comes right, and the server is at rest afterwards") {
  const test::ClientFolder folder;
  const auto bytes = test::pattern(9, 40 * kMiB);
  test::put(folder.beside("root") / "object.bin", bytes);
  test::put(folder.beside("mishaps.json"), std::as_bytes(std::span(kScript)));
  test::Stub stub(folder.beside("root"), {"--mishap", folder.beside("mishaps.json").string()});
  const auto url = "http://127.0.0.1:" + std::to_string(stub.port) + "/files/object.bin";
  const auto done = folder.run("download", {"-c", "3", "--sha256", test::hex_sha256(bytes), url});
  CAPTURE(done.error_output);
  CHECK(done.end.exit_code == 0);
  CHECK(test::holds(folder.file("object.bin"), bytes));
  CHECK(stub.stop() == 0);
  // All of them were met.
  const auto& log = stub.process.error_output();
  for (int rule = 0; rule < 9; ++rule) {
    CAPTURE(rule);
    CHECK(log.find("rule=\"/" + std::to_string(rule) + "\"") != std::string::npos);
  }
}
