// SPDX-License-Identifier: Apache-2.0
// The server in this process, where a test can hold the disk and shorten the times.
#include "server-stub/http/server.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "server-stub/objects/root_folder.h"
#include "server-stub/store/memory_store.h"
#include "tests/server/files.h"
#include "tests/server/raw_client.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

// A disk whose reads wait until they are let go.
class Hold {
 public:
  ~Hold() { let_go(); }
  void wait() {
    std::unique_lock lock(mutex_);
    waiting_ += 1;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_let_go_; });
  }
  bool wait_for_waiters(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_ >= count; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    is_let_go_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool is_let_go_ = false;
};

class HeldFile final : public ObjectFile {
 public:
  HeldFile(std::shared_ptr<ObjectFile> real, Hold& hold) : real_(std::move(real)), hold_(hold) {}
  const FileIdentity& identity() const override { return real_->identity(); }
  std::optional<Result<std::size_t>> read_cached(std::uint64_t, std::span<std::byte>) override { return std::nullopt; }
  Result<void> read(std::uint64_t offset, std::span<std::byte> into) override {
    hold_.wait();
    return real_->read(offset, into);
  }

 private:
  std::shared_ptr<ObjectFile> real_;
  Hold& hold_;
};

// Files whose path begins with `held` are on the held disk.
class HoldingTree final : public FileTree {
 public:
  HoldingTree(FileTree& real, Hold& hold) : real_(real), hold_(hold) {}
  Result<Found> open(const RelativePath& path) override {
    auto found = real_.open(path);
    if (!found || !path.text().starts_with("held")) return found;
    if (auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&*found))
      return Found(std::make_shared<HeldFile>(*file, hold_));
    return found;
  }

 private:
  FileTree& real_;
  Hold& hold_;
};

// A state whose settings can't be had for a while.
class FailingStore final : public server::Store {
 public:
  explicit FailingStore(bool is_failing_at_start) : is_failing(is_failing_at_start) {}
  std::atomic<bool> is_failing;

  Result<TicketKey> ticket_key() override { return memory_.ticket_key(); }
  Result<void> note_issued(WallTime time) override { return memory_.note_issued(time); }
  Result<std::optional<WallTime>> last_issued() override { return memory_.last_issued(); }
  Result<SettingsRecord> settings() override {
    return or_failure([this] { return memory_.settings(); });
  }
  Result<Changed<SettingsRecord>> change_settings(std::uint64_t expected, const SettingsRecord& next) override {
    return or_failure([&, this] { return memory_.change_settings(expected, next); });
  }
  Result<std::vector<AccountRecord>> accounts() override {
    return or_failure([this] { return memory_.accounts(); });
  }
  Result<Changed<AccountRecord>> change_account(std::uint64_t expected, const AccountRecord& next) override {
    return or_failure([&, this] { return memory_.change_account(expected, next); });
  }
  Result<std::vector<AuditRow>> audit(std::size_t most) override { return memory_.audit(most); }

 private:
  template <typename Call>
  auto or_failure(Call call) -> decltype(call()) {
    if (is_failing) return fail(Fault::local, "cannot use the database");
    return call();
  }
  MemoryStore memory_;
};

// One named `ops`, which is `secret`.
ControlKeys operator_key() {
  auto keys = ControlKeys::parse("ops 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b");
  REQUIRE(keys.has_value());
  return std::move(*keys);
}

struct RunningServer {
  explicit RunningServer(const std::filesystem::path& folder, ServerSettings settings = {},
                         bool is_state_failing = false, std::optional<TlsContext> tls = {})
      : root(std::move(*RootFolder::open_root(folder))),
        tree(*root, hold),
        indexer(*root, index, clock),
        store(tree, index, indexer),
        quiet(open("/dev/null", O_WRONLY | O_CLOEXEC), true),
        log(quiet, LogForm::text, clock),
        state(is_state_failing),
        server(settings, {store, clock, log, state, true, {}, operator_key(), std::move(tls)}) {
    const auto address = server.listen({});
    REQUIRE(address);
    port = address->port;
    thread = std::thread([this] { server.run(); });
  }
  ~RunningServer() {
    hold.let_go();
    server.stop();
    thread.join();
  }

  SystemClock clock;
  Hold hold;
  std::unique_ptr<RootFolder> root;
  HoldingTree tree;
  DigestIndex index;
  Indexer indexer;
  ObjectStore store;
  LineWriter quiet;
  Log log;
  FailingStore state;
  Server server;
  std::uint16_t port = 0;
  std::thread thread;
};

ServerSettings with(Limits limits, Duration stop_timeout = std::chrono::seconds(60)) {
  return {SchedulerSettings{}, limits, stop_timeout};
}

}  // namespace

TEST_CASE("a read that hangs for ever delays no other answer") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  test::put(folder / "free.bin", "free");
  RunningServer running(folder.path());
  test::RawClient held(running.port);
  held.send(test::request("GET", "/files/held.bin"));
  CHECK(held.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  CHECK(test::ask(running.port, "GET", "/healthz").status == 200);
  CHECK(test::ask(running.port, "GET", "/files/free.bin").body == "free");
  running.hold.let_go();
  CHECK(held.read_some(4) == "held");
}

TEST_CASE("when every worker hangs in the disk the I/O thread still answers") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  Limits limits;
  limits.workers = 2;
  RunningServer running(folder.path(), with(limits));
  test::RawClient first(running.port);
  test::RawClient second(running.port);
  test::RawClient third(running.port);
  for (auto* client : {&first, &second, &third}) client->send(test::request("GET", "/files/held.bin"));
  REQUIRE(running.hold.wait_for_waiters(2));
  CHECK(test::ask(running.port, "GET", "/healthz").status == 200);
  CHECK(test::ask(running.port, "GET", "/files/a/../b").status == 400);
  running.hold.let_go();
  CHECK(third.read_reply().body == "held");
}

TEST_CASE("a client that goes while the disk hangs leaves nothing behind") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", std::string(1'000'000, 'x'));
  RunningServer running(folder.path());
  {
    test::RawClient gone(running.port);
    gone.send(test::request("GET", "/files/held.bin"));
    REQUIRE(running.hold.wait_for_waiters(1));
  }
  running.hold.let_go();
  CHECK(test::ask(running.port, "GET", "/files/held.bin").body.size() == 1'000'000);
}

TEST_CASE("a header block that takes too long ends its connection (L1)") {
  const test::TempFolder folder;
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  RunningServer running(folder.path(), with(limits));
  test::RawClient silent(running.port);
  CHECK(silent.is_closed_by_peer());
  test::RawClient slow(running.port);
  slow.send("GET /healthz HTTP/1.1\r\nHost:");
  CHECK(slow.is_closed_by_peer());
  // On a kept connection the time runs from the request's first byte.
  test::RawClient kept(running.port);
  kept.send(test::request("GET", "/healthz") + "GET /he");
  CHECK(kept.read_reply().status == 200);
  CHECK(kept.is_closed_by_peer());
}

TEST_CASE("a handshake that takes too long ends its connection (L1)") {
  const test::TempFolder folder;
  const test::TlsServer identity;
  test::put(folder / "cert.pem", identity.certificate_pem());
  test::put(folder / "key.pem", identity.key_pem());
  const auto tls = TlsContext::load(folder / "cert.pem", folder / "key.pem");
  REQUIRE(tls);
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  RunningServer running(folder.path(), with(limits), false, *tls);
  test::RawClient silent(running.port);
  CHECK(silent.is_closed_by_peer());
  test::RawClient half(running.port);
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  CHECK(half.is_closed_by_peer());
  test::RawClient agreed(running.port, {});
  CHECK(agreed.tls().is_agreed());
  CHECK(agreed.is_closed_by_peer());
}

TEST_CASE("a body that takes too long ends its connection") {
  const test::TempFolder folder;
  Limits limits;
  limits.header_time = std::chrono::milliseconds(50);
  RunningServer running(folder.path(), with(limits));
  test::RawClient slow(running.port);
  slow.send(test::request("POST", "/healthz", "Content-Length: 10\r\n") + "123");
  CHECK(slow.is_closed_by_peer());
}

TEST_CASE("an idle connection is kept only so long") {
  const test::TempFolder folder;
  Limits limits;
  limits.idle_time = std::chrono::milliseconds(50);
  RunningServer running(folder.path(), with(limits));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/healthz"));
  CHECK(client.read_reply().status == 200);
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("a client that takes nothing is given up") {
  const test::TempFolder folder;
  test::put(folder / "big.bin", "");
  std::filesystem::resize_file(folder / "big.bin", 256 * 1024 * 1024);
  Limits limits;
  limits.send_stall = std::chrono::milliseconds(100);
  limits.linger = std::chrono::milliseconds(1);
  RunningServer running(folder.path(), with(limits, std::chrono::hours(1)));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/big.bin"));
  const auto head = client.read_head();
  CHECK(head.status == 200);
  // The server's stop would wait for the answer, were it still running; it ends because the answer was given up.
  running.server.stop();
  running.thread.join();
  running.thread = std::thread([] {});
  CHECK(client.read_to_end().size() < 256 * 1024 * 1024);
}

TEST_CASE("after the stop timeout running answers are cut (L4)") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  RunningServer running(folder.path(), with({}, std::chrono::milliseconds(50)));
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/held.bin"));
  CHECK(client.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  running.server.stop();
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("while stopping a kept connection's next request is told so (L4)") {
  const test::TempFolder folder;
  test::put(folder / "held.bin", "held");
  RunningServer running(folder.path());
  test::RawClient client(running.port);
  client.send(test::request("GET", "/files/held.bin"));
  CHECK(client.read_head().status == 200);
  REQUIRE(running.hold.wait_for_waiters(1));
  running.server.stop();
  client.send(test::request("GET", "/files/held.bin"));
  running.hold.let_go();
  CHECK(client.read_some(4) == "held");
  const auto refused = client.read_reply();
  CHECK(refused.status == 503);
  CHECK(refused.body.find("\"reason\":\"shutting_down\"") != std::string::npos);
  CHECK(refused.header("Retry-After") == "60");
  CHECK(refused.header("Connection") == "close");
  CHECK(client.is_closed_by_peer());
}

TEST_CASE("a state that fails at the start or later is survived, on the environment's values, and told") {
  const test::TempFolder folder;
  test::put(folder / "a", "bytes");
  RunningServer running(folder.path(), {}, true);
  constexpr const char* kSettings = "/api/v1/system/downloads/settings";
  constexpr const char* kKey = "Authorization: Bearer secret\r\n";
  const auto settings = [&] { return nlohmann::json::parse(test::ask(running.port, "GET", kSettings, kKey).body); };
  const auto change = [&](std::string_view body) {
    test::RawClient client(running.port);
    client.send(test::request("PUT", kSettings, kKey + ("Content-Length: " + std::to_string(body.size()) + "\r\n")) +
                std::string(body));
    return client.read_reply().status;
  };
  const auto readiness = [&] { return nlohmann::json::parse(test::ask(running.port, "GET", "/readyz").body); };

  CHECK(test::ask(running.port, "GET", "/files/a").body == "bytes");
  CHECK(settings()["effective"]["sessions"] == 16);
  CHECK(settings()["problem"].get<std::string>().find("cannot use the database") != std::string::npos);
  CHECK(readiness()["store"] == "failing");
  CHECK(change(R"({"expectedRevision":0,"overrides":{"sessions":2}})") == 500);

  running.state.is_failing = false;
  CHECK(change(R"({"expectedRevision":0,"overrides":{"sessions":2}})") == 200);
  CHECK(settings()["problem"].is_null());
  CHECK(readiness()["store"] == "ok");

  running.state.is_failing = true;
  CHECK(settings()["effective"]["sessions"] == 2);
  CHECK(settings()["problem"].is_string());
  CHECK(test::ask(running.port, "GET", "/files/a").body == "bytes");
}
