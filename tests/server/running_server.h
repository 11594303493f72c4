// SPDX-License-Identifier: Apache-2.0
// The server in the process of a test, which can hold the disk, shorten the times, and make the state fail.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server-stub/http/server.h"
#include "server-stub/objects/root_folder.h"
#include "server-stub/store/memory_store.h"

namespace arkvory::test {

using namespace server;

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
inline ControlKeys operator_key() {
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
    std::signal(SIGPIPE, SIG_IGN);
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

inline ServerSettings with(Limits limits, Duration stop_timeout = std::chrono::seconds(60)) {
  return {SchedulerSettings{}, limits, stop_timeout};
}

}  // namespace arkvory::test
