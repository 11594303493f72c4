// SPDX-License-Identifier: Apache-2.0
// Programs that know nothing of queues in the queue of the real server: held until their turn, within limits, and told
// honestly when to come back beyond them (protocol.md §3).
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/rfc3339.h"
#include "core/base/size.h"
#include "core/http/http_date.h"
#include "tests/e2e/client.h"
#include "tests/e2e/strangers.h"
#include "tests/server/raw_client.h"
#include "tests/server/stub.h"
#include "tests/support/pattern.h"

using namespace arkvory;
using nlohmann::json;
using test::Stranger;

namespace {

using Options = std::vector<std::string>;
using Work = std::vector<std::unique_ptr<test::StrangerAtWork>>;

constexpr const char* kHolder = "Arkvory-Download-Id: holder-0123456789\r\n";
constexpr int kObjects = 6;

std::string target(int object) { return "/files/" + std::to_string(object) + ".bin"; }

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string token(const std::string& name) { return "Authorization: Bearer " + name + "-token"; }

// One seat, several objects, and a client that has the seat until it gives it up. An object each, for two strangers of
// one address that want the same one are one download.
struct OneSeat {
  explicit OneSeat(const std::string& hold_seconds, const Options& extra = {}, std::string holders_line = {})
      : holder(std::move(holders_line) + kHolder) {
    for (int i = 0; i < kObjects; ++i) {
      objects.push_back(test::pattern(static_cast<std::uint64_t>(i), kMiB));
      test::put(folder.beside("root") / (std::to_string(i) + ".bin"), objects.back());
    }
    Options options{"--sessions",     "1",          "--session-min-bytes", "1KiB", "--idle-seconds", "3600",
                    "--hold-seconds", hold_seconds, "--access-log",        log()};
    options.insert(options.end(), extra.begin(), extra.end());
    stub.emplace(folder.beside("root"), options);
    take_seat();
  }
  std::string log() const { return folder.beside("access.log").string(); }
  std::string url(int object) const { return "http://127.0.0.1:" + std::to_string(stub->port) + target(object); }
  void take_seat() const {
    REQUIRE(test::ask(stub->port, "GET", target(0), holder + "Range: bytes=0-99\r\n").status == 206);
  }
  void give_up_seat() const { REQUIRE(test::ask(stub->port, "DELETE", target(0), holder).status == 204); }

  // Until so many are held at once.
  void wait_for_held(std::uint64_t count) const { REQUIRE(stub->comes_to("held", count)); }
  // Until the object was asked for in vain.
  void wait_for_refusal(int object) const {
    wait_until([&] { return refused().contains(target(object)); }, "an answer of 503");
  }
  // The targets that were answered with 503, as the access log has it.
  std::set<std::string> refused() const {
    std::ifstream file(log());
    std::set<std::string> all;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string time;
      std::string method;
      std::string path;
      std::string status;
      words >> time >> method >> path >> status;
      if (status == "503") all.insert(path);
    }
    return all;
  }
  // All that was answered is in the log afterwards.
  void stop() { REQUIRE(stub->stop() == 0); }

  std::string holder;
  std::vector<std::vector<std::byte>> objects;
  test::ClientFolder folder;
  std::optional<test::Stub> stub;

 private:
  template <typename Condition>
  static void wait_until(Condition is_so, const char* what) {
    const auto patience = SystemClock().now() + std::chrono::minutes(1);
    while (!is_so())
      if (SystemClock().now() > patience) FAIL("waited in vain for " << what);
  }
};

// All strangers, each at an object and in a folder of its own.
Work all_at_work(const OneSeat& server, Stranger::Kind kind) {
  Work all;
  for (const auto& stranger : test::strangers()) {
    const auto object = static_cast<int>(all.size());
    all.push_back(std::make_unique<test::StrangerAtWork>(stranger, kind, server.url(object),
                                                         server.folder.beside("at-" + std::to_string(object))));
  }
  return all;
}

const Stranger& stranger(std::string_view program) {
  const auto& all = test::strangers();
  return *std::find_if(all.begin(), all.end(), [program](const Stranger& one) { return program == one.program; });
}

// When a 503 tells a client without an id to come back: soon (E3).
std::uint64_t honest_pause(const test::Reply& reply) {
  CHECK(reply.status == 503);
  const auto seconds = parse_number(reply.header("Retry-After")).value_or(0);
  CHECK(seconds >= 1);
  CHECK(seconds <= 30);
  return seconds;
}

// A 503 that tells a client without an id when to come back, and says so in the body too.
void check_honest(const test::Reply& reply) {
  const auto seconds = honest_pause(reply);
  const auto body = json::parse(reply.body);
  CHECK(body.at("reason") == "download_queued");
  const auto date = parse_http_date(reply.header("Date"), WallTime());
  const auto check_at = parse_rfc3339(body.at("checkAt").get<std::string>());
  REQUIRE(date);
  REQUIRE(check_at);
  CHECK(*check_at > *date);
  CHECK(*check_at <= *date + std::chrono::seconds(seconds + 1));  // the Date is of whole seconds
}

}  // namespace

TEST_CASE("who knows nothing of queues is held until its turn, and ends with the right bytes as if there were none") {
  OneSeat server("3600");
  bool is_first = true;
  for (const auto& one : test::strangers()) {
    CAPTURE(one.program);
    if (!is_first) server.take_seat();
    is_first = false;
    test::StrangerAtWork work(one, Stranger::Kind::plain, server.url(0), server.folder.beside(one.package));
    server.wait_for_held(1);
    CHECK(server.stub->ready("active") == 1);
    server.give_up_seat();
    work.check_success(server.objects[0]);
  }
  server.stop();
  CHECK(server.refused().empty());
}

TEST_CASE("strangers and a client with an id in one queue: all end with the right bytes, and no stranger is refused") {
  OneSeat server("3600", {"--bandwidth", "20MiB/s"});
  auto all = all_at_work(server, Stranger::Kind::plain);
  const auto count = static_cast<int>(all.size());
  server.wait_for_held(count);
  REQUIRE(count < kObjects);
  const test::ClientFolder ours;
  test::Process client(ours.command("download", {"--json", server.url(count)}), ours.options());
  REQUIRE(test::next_event(client, "waiting", std::chrono::minutes(1)));
  server.give_up_seat();
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->check_success(server.objects[i]);
  const auto end = client.wait();
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK(test::holds(ours.file(std::to_string(count) + ".bin"), server.objects[static_cast<std::size_t>(count)]));
  CHECK(server.stub->ready("active") == 0);
  server.stop();
  CHECK(server.refused() == std::set<std::string>{target(count)});
}

TEST_CASE("who is still held when the hold time is over is told to come back, and each that does ends well") {
  OneSeat server("1");
  auto all = all_at_work(server, Stranger::Kind::patient);
  for (std::size_t i = 0; i < all.size(); ++i) server.wait_for_refusal(static_cast<int>(i));
  server.give_up_seat();
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->check_success(server.objects[i]);
}

TEST_CASE("who never comes back has after the hold time an honest 503 and no bytes") {
  OneSeat server("1");
  test::StrangerAtWork curl(stranger("curl"), Stranger::Kind::plain, server.url(1), server.folder.beside("curl"));
  test::RawClient raw(server.stub->port);
  const auto begun = SystemClock().now();
  raw.send(test::request("GET", target(2)));
  check_honest(raw.read_reply());
  CHECK(SystemClock().now() - begun >= std::chrono::seconds(1));
  CHECK(curl.exit_code() == 22);  // of `--fail`
}

TEST_CASE("who is told to come back has its place meanwhile: who comes later is behind it") {
  OneSeat server("0");
  test::RawClient early(server.stub->port);
  early.send(test::request("GET", target(1)));
  check_honest(early.read_reply());
  const std::string late = "Arkvory-Download-Id: late-01234567890\r\n";
  CHECK(test::ask(server.stub->port, "GET", target(2), late).status == 503);
  CHECK(test::ask(server.stub->port, "GET", target(2), late).header("Arkvory-Queue-Position") == "2");
  server.give_up_seat();
  early.send(test::request("GET", target(1)));
  const auto reply = early.read_reply();
  CHECK(reply.status == 200);
  CHECK(std::ranges::equal(bytes_of(reply.body), server.objects[1]));
}

TEST_CASE("who comes when as many are held as may be is told so at once, and ends well when it comes back") {
  OneSeat server("3600", {"--transfer-queue-limit", "1"});
  test::StrangerAtWork held(stranger("wget"), Stranger::Kind::plain, server.url(1), server.folder.beside("wget"));
  server.wait_for_held(1);
  // Nobody is held for less than an hour here: an answer is one at once.
  check_honest(test::ask(server.stub->port, "GET", target(3)));
  test::StrangerAtWork next(stranger("curl"), Stranger::Kind::patient, server.url(2), server.folder.beside("curl"));
  server.wait_for_refusal(2);
  CHECK(server.stub->ready("held") == 1);
  server.give_up_seat();
  held.check_success(server.objects[1]);
  next.check_success(server.objects[2]);
}

TEST_CASE("a principal has a quarter of the holds: its next request is told so at once, another principal's is held") {
  const test::TempFolder keys;
  json principals{{"principals", json::array()}};
  for (const std::string name : {"alice", "ben", "holder"})
    principals["principals"].push_back(
        {{"name", name}, {"kind", "person"}, {"tokenSha256", test::hex_sha256(bytes_of(name + "-token"))}});
  test::put(keys / "principals", bytes_of(principals.dump()));
  OneSeat server("3600", {"--transfer-queue-limit", "8", "--principals", (keys / "principals").string()},
                 token("holder") + "\r\n");
  const auto& wget = stranger("wget");
  const auto start = [&](int object, const std::string& name) {
    return std::make_unique<test::StrangerAtWork>(wget, Stranger::Kind::patient, server.url(object),
                                                  server.folder.beside(name + std::to_string(object)),
                                                  Options{"--header=" + token(name)});
  };
  Work all;
  all.push_back(start(0, "alice"));
  all.push_back(start(1, "alice"));
  server.wait_for_held(2);
  check_honest(test::ask(server.stub->port, "GET", target(4), token("alice") + "\r\n"));
  all.push_back(start(2, "alice"));
  all.push_back(start(3, "ben"));
  server.wait_for_held(3);
  server.wait_for_refusal(2);
  server.give_up_seat();
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->check_success(server.objects[i]);
}

TEST_CASE(
    "S2: of small objects too so many are held as may be, all of whom end well, and the next is told so at once") {
  OneSeat server("3600", {"--session-min-bytes", "1GiB", "--max-downloads", "1", "--transfer-queue-limit", "5"});
  // More than sockets hold: who does not read keeps the others waiting.
  test::put(server.folder.beside("root") / "long.bin", {});
  std::filesystem::resize_file(server.folder.beside("root") / "long.bin", 64 * kMiB);
  auto running = std::make_unique<test::RawClient>(server.stub->port);
  running->send(test::request("GET", "/files/long.bin"));
  REQUIRE(running->read_head().status == 200);
  auto all = all_at_work(server, Stranger::Kind::plain);
  server.wait_for_held(5);
  const auto refused = test::ask(server.stub->port, "GET", target(5));
  honest_pause(refused);
  CHECK(json::parse(refused.body).at("reason") == "per_request");
  running.reset();
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->check_success(server.objects[i]);
}
