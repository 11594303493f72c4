// SPDX-License-Identifier: Apache-2.0
// Clients without an id behind a proxy: whose request it is, on the wire (S1).
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;

namespace {

constexpr const char* kFile = "/files/big.bin";
constexpr const char* kAnn = "Forwarded: for=198.51.100.1\r\n";
constexpr const char* kBen = "Forwarded: for=\"[2001:db8:1:2::7]:4711\"\r\n";
constexpr const char* kBenElsewhere = "Forwarded: for=203.0.113.1\r\nForwarded: for=\"[2001:db8:1:2:ffff::]\"\r\n";
constexpr const char* kFewBytes = "Range: bytes=0-99\r\n";

// One seat, and a client that keeps it.
struct Proxied {
  explicit Proxied(std::vector<std::string> extra = {}) {
    test::put(folder / "root" / "big.bin", "");
    std::filesystem::resize_file(folder / "root" / "big.bin", 64 * kMiB);  // more than sockets hold
    for (const char* option : {"--sessions", "1", "--hold-seconds", "3600"}) extra.emplace_back(option);
    stub.emplace(folder / "root", extra);
  }
  std::unique_ptr<test::RawClient> take_seat(const std::string& headers) {
    auto client = std::make_unique<test::RawClient>(stub->port);
    client->send(test::request("GET", kFile, headers));
    REQUIRE(client->read_head().status == 200);
    return client;
  }
  int ask(const std::string& headers) { return test::ask(stub->port, "GET", kFile, headers + kFewBytes).status; }
  void wait_for_held(std::uint64_t count) { REQUIRE(stub->comes_to("held", count)); }

  test::TempFolder folder;
  std::optional<test::Stub> stub;
};

}  // namespace

TEST_CASE("S1: behind a trusted proxy each client is one of its own, those of IPv6 by their network") {
  Proxied server({"--trusted-proxy", "192.0.2.0/24", "--trusted-proxy", "127.0.0.0/8"});
  const auto seated = server.take_seat(kBen);
  CHECK(server.ask(kBen) == 206);
  CHECK(server.ask(kBenElsewhere) == 206);
  test::RawClient other(server.stub->port);
  other.send(test::request("GET", kFile, std::string(kAnn) + kFewBytes));
  server.wait_for_held(1);
  CHECK(server.ask(kBen) == 206);
}

TEST_CASE("S1: without --trusted-proxy all that comes from one machine is one client") {
  Proxied server({"--trusted-proxy", "192.0.2.0/24"});
  const auto seated = server.take_seat(kBen);
  CHECK(server.ask(kAnn) == 206);
  CHECK(server.ask("") == 206);
}

TEST_CASE("S1: of a trusted proxy that sends no header, or a malformed one, the proxy is the client") {
  Proxied server({"--trusted-proxy", "127.0.0.1"});
  const auto seated = server.take_seat("");
  CHECK(server.ask("Forwarded: for=198.51.100.1:80\r\n") == 206);
  CHECK(server.ask("X-Forwarded-For: 198.51.100.1\r\n") == 206);
  test::RawClient other(server.stub->port);
  other.send(test::request("GET", kFile, std::string(kAnn) + kFewBytes));
  server.wait_for_held(1);
}

TEST_CASE("the figures are for this machine, and not for whoever asks through a proxy on it") {
  Proxied server({"--trusted-proxy", "127.0.0.1"});
  CHECK(test::ask(server.stub->port, "GET", "/metrics").status == 200);
  CHECK(test::ask(server.stub->port, "GET", "/metrics", "Forwarded: for=127.0.0.1\r\n").status == 404);
}
