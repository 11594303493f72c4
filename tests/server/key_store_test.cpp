// SPDX-License-Identifier: Apache-2.0
// One list of cases for both key stores, and what only the one on disk has to promise.
#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file_system.h"
#include "server-stub/store/memory_store.h"
#include "server-stub/store/sqlite_store.h"
#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr WallTime kTime{std::chrono::milliseconds(1'796'040'000'123)};

std::unique_ptr<SqliteStore> opened(const std::filesystem::path& folder) {
  auto store = SqliteStore::open(folder);
  REQUIRE_MESSAGE(store.has_value(), store.error().text());
  return std::move(*store);
}

TicketKey key_of(KeyStore& store) {
  auto key = store.ticket_key();
  REQUIRE(key.has_value());
  return *key;
}

std::optional<WallTime> issued_of(KeyStore& store) {
  const auto issued = store.last_issued();
  REQUIRE(issued.has_value());
  return *issued;
}

std::string content(const std::filesystem::path& path) {
  PosixFileSystem files;
  auto text = read_whole(files, path, 1 << 24);
  REQUIRE(text.has_value());
  return text->value_or("");
}

unsigned access_of(const std::filesystem::path& path) {
  return static_cast<unsigned>(std::filesystem::status(path).permissions()) & 0777U;
}

// Runs SQL on the file as another program would.
void tamper(const std::filesystem::path& path, const char* sql) {
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &raw) == SQLITE_OK);
  CHECK(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(raw);
}

// In a child: waits for the start, opens the store and writes its key into the pipe. Nothing of the test's framework
// runs in it.
[[noreturn]] void tell_key_and_exit(const std::filesystem::path& folder, int start, int out) {
  char byte = 0;
  const bool is_started = read(start, &byte, 1) == 0;  // the parent closes its end
  auto store = SqliteStore::open(folder);
  const auto key = store ? (*store)->ticket_key() : Result<TicketKey>(pass_on(store.error()));
  if (!key) std::fprintf(stderr, "%s\n", key.error().text().c_str());
  const bool is_told = key && write(out, key->reveal().data(), 32) == 32;
  _exit(is_started && is_told ? 0 : 1);
}

struct Disk {
  test::TempFolder folder;
  std::unique_ptr<SqliteStore> store = opened(folder / "state");
};

struct Memory {
  std::unique_ptr<MemoryStore> store = std::make_unique<MemoryStore>();
};

}  // namespace

TYPE_TO_STRING_AS("on disk", Disk);
TYPE_TO_STRING_AS("in memory", Memory);

TEST_CASE_TEMPLATE("there is one key, whoever asks and however often", Store, Disk, Memory) {
  Store one;
  const auto key = key_of(*one.store);
  CHECK(key == key_of(*one.store));
  Store other;
  CHECK_FALSE(key == key_of(*other.store));
  std::vector<std::thread> threads;
  std::vector<char> same(4, 0);
  for (std::size_t i = 0; i < same.size(); ++i)
    threads.emplace_back([&, i] {
      const auto asked = one.store->ticket_key();
      same[i] = asked && *asked == key ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  CHECK(same == std::vector<char>(4, 1));
}

TEST_CASE_TEMPLATE("when tickets were issued is nothing at first, then what was noted last (T1)", Store, Disk, Memory) {
  Store one;
  CHECK_FALSE(issued_of(*one.store));
  REQUIRE(one.store->note_issued(kTime + std::chrono::microseconds(7)).has_value());
  CHECK(issued_of(*one.store) == kTime);
  // The clock was set back: what it said before counts no more.
  REQUIRE(one.store->note_issued(kTime - std::chrono::hours(1)).has_value());
  CHECK(issued_of(*one.store) == kTime - std::chrono::hours(1));
}

TEST_CASE("the key and the time outlive the process") {
  const test::TempFolder folder;
  const auto key = key_of(*opened(folder / "state"));
  REQUIRE(opened(folder / "state")->note_issued(kTime).has_value());
  const auto again = opened(folder / "state");
  CHECK(key_of(*again) == key);
  CHECK(issued_of(*again) == kTime);
}

TEST_CASE("processes that open a fresh state at once get the same key") {
  for (int round = 0; round < 5; ++round) {
    const test::TempFolder folder;
    int start[2];
    int out[2];
    REQUIRE(pipe(start) == 0);
    REQUIRE(pipe(out) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      children.push_back(fork());
      REQUIRE(children.back() >= 0);
      if (children.back() > 0) continue;
      close(start[1]);
      tell_key_and_exit(folder / "state", start[0], out[1]);
    }
    close(start[0]);
    close(start[1]);
    close(out[1]);
    for (const auto child : children) {
      int status = -1;
      CHECK(waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
    std::set<std::string> keys;
    std::string key(32, '?');
    int count = 0;
    for (; read(out[0], key.data(), key.size()) == 32; ++count) keys.insert(key);
    close(out[0]);
    CHECK(count == 8);
    CHECK(keys.size() == 1);
  }
}

TEST_CASE("the state is for its owner only, whatever the umask") {
  const test::TempFolder folder;
  const auto before = umask(0);
  const auto store = opened(folder / "a" / "state");
  key_of(*store);
  umask(before);
  CHECK(access_of(folder / "a" / "state") == 0700);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "a" / "state")) {
    CAPTURE(entry.path().string());
    CHECK(access_of(entry.path()) == 0600);
    ++files;
  }
  CHECK(files >= 1);
  std::filesystem::permissions(folder / "a" / "state" / "arkvory-stub.db", std::filesystem::perms(0644));
  opened(folder / "a" / "state");
  CHECK(access_of(folder / "a" / "state" / "arkvory-stub.db") == 0600);
}

TEST_CASE("a state of a newer version is refused and stays as it is") {
  const test::TempFolder folder;
  const auto path = folder / "arkvory-stub.db";
  key_of(*opened(folder.path()));
  tamper(path, "PRAGMA user_version = 99");
  const auto before = content(path);
  const auto refused = SqliteStore::open(folder.path());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == Fault::state);
  CHECK(refused.error().words.find("newer version 99") != std::string::npos);
  CHECK(content(path) == before);
}

TEST_CASE("what is no state of ours is refused and stays as it is") {
  const test::TempFolder folder;
  const auto path = folder / "arkvory-stub.db";
  SUBCASE("text") { test::put(path, "this is no database at all, and long enough to look at"); }
  SUBCASE("another program's database") { tamper(path, "CREATE TABLE theirs (id INTEGER)"); }
  const auto before = content(path);
  const auto refused = SqliteStore::open(folder.path());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == Fault::state);
  CHECK(refused.error().words.find(path.string()) != std::string::npos);
  CHECK(content(path) == before);
}

TEST_CASE("a state folder that can't be had is a local failure that names it") {
  const test::TempFolder folder;
  test::put(folder / "file", "x");
  const auto refused = SqliteStore::open(folder / "file" / "state");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().fault == Fault::local);
  CHECK(refused.error().words.find((folder / "file").string()) != std::string::npos);
}

TEST_CASE("a state of the first version gains what later ones have, and keeps its key") {
  const test::TempFolder folder;
  const auto key = key_of(*opened(folder.path()));
  tamper(folder / "arkvory-stub.db",
         "DROP TABLE settings; DROP TABLE account; DROP TABLE audit; PRAGMA user_version = 1");
  const auto store = opened(folder.path());
  CHECK(key_of(*store) == key);
  const auto changed = store->change_settings(0, {0, "{}", "ops", kTime});
  REQUIRE(changed.has_value());
  CHECK(changed->is_made);
}

TEST_CASE("a settings record that can't be read is an error, and the key can be had all the same") {
  const test::TempFolder folder;
  const auto store = opened(folder.path());
  const auto key = key_of(*store);
  tamper(folder / "arkvory-stub.db", "DROP TABLE settings");
  CHECK_FALSE(store->settings().has_value());
  CHECK_FALSE(store->change_settings(0, {0, "{}", "ops", kTime}).has_value());
  CHECK(key_of(*store) == key);
  const auto again = opened(folder.path());
  CHECK_FALSE(again->settings().has_value());
  CHECK(key_of(*again) == key);
}

TEST_CASE("a state that another process keeps locked is opened later, with the first call after that") {
  const test::TempFolder folder;
  const auto path = folder / "arkvory-stub.db";
  sqlite3* holder = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &holder) == SQLITE_OK);
  REQUIRE(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  const auto store = opened(folder.path());
  const auto settings = store->settings();
  REQUIRE_FALSE(settings.has_value());
  CHECK(settings.error().fault == Fault::local);
  CHECK(sqlite3_exec(holder, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(holder);
  CHECK(store->settings().has_value());
  CHECK(store->change_settings(0, {0, "{}", "ops", kTime}).has_value());
}
