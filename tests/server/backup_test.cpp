// SPDX-License-Identifier: Apache-2.0
// What a backup has, what it never has, and what comes of putting it back.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file_system.h"
#include "server-stub/store/sqlite_backup.h"
#include "server-stub/store/sqlite_store.h"
#include "tests/server/files.h"
#include "tests/support/temp_folder.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

constexpr WallTime kTime{std::chrono::milliseconds(1'796'040'000'123)};
constexpr const char* kOldSettings = R"({"sessions":4711})";
constexpr const char* kNewSettings = R"({"sessions":815})";

template <typename Value>
Value value_of(Result<Value> result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().text());
  return std::move(*result);
}

std::unique_ptr<SqliteStore> opened(const std::filesystem::path& folder) { return value_of(SqliteStore::open(folder)); }

// The first column of all rows, joined by bars.
std::string asked(const std::filesystem::path& path, const char* sql) {
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  std::string all;
  const auto add = [](void* into, int, char** values, char**) {
    auto& text = *static_cast<std::string*>(into);
    text.append(text.empty() ? "" : "|").append(values[0] == nullptr ? "null" : values[0]);
    return 0;
  };
  CHECK(sqlite3_exec(raw, sql, add, &all, nullptr) == SQLITE_OK);
  sqlite3_close(raw);
  return all;
}

// Runs SQL on the file as another program would.
void tamper(const std::filesystem::path& path, const char* sql) {
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &raw) == SQLITE_OK);
  CHECK(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(raw);
}

std::string content(const std::filesystem::path& path) {
  PosixFileSystem files;
  return value_of(read_whole(files, path, 1 << 24)).value_or("");
}

// All bytes of a state folder, whichever of SQLite's files has them.
std::string content_of_folder(const std::filesystem::path& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (!entry.path().string().ends_with("-shm")) all += content(entry.path());
  return all;
}

std::string text_of(const TicketKey& key) {
  return {reinterpret_cast<const char*>(key.reveal().data()), key.reveal().size()};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A folder where all that can be stored was.
struct Used {
  Used() {
    key = text_of(value_of(store->ticket_key()));
    REQUIRE(store->note_issued(kTime).has_value());
    value_of(store->change_settings(0, {0, kOldSettings, "night", kTime}));
    value_of(store->change_settings(1, {0, kNewSettings, "ops", kTime}));
    value_of(store->change_account(0, {"fleet", DownloadClass::bulk, 0, "ops", kTime}));
    value_of(store->change_account(0, {"build/ü", DownloadClass::background, 0, "ops", kTime}));
    value_of(store->change_account(1, {"fleet", std::nullopt, 0, "night", kTime}));
  }

  test::TempFolder folder;
  PosixFileSystem files;
  std::filesystem::path state = folder / "state";
  std::filesystem::path path = folder / "backup";
  std::unique_ptr<SqliteStore> store = opened(state);
  std::string key;
};

}  // namespace

TEST_CASE("a backup has the accounts and who changed what, and no other table") {
  Used used;
  const auto made = value_of(write_backup(used.files, used.state, used.path));
  CHECK(made.accounts == 2);
  CHECK(made.changes == 5);
  CHECK(asked(used.path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") == "account|audit");
  CHECK(asked(used.path,
              "SELECT name || ' ' || ifnull(class, '-') || ' ' || revision || ' ' || updated_by || ' ' ||"
              " updated_ms FROM account ORDER BY name") ==
        "build/ü background 1 ops 1796040000123|fleet - 2 night 1796040000123");
  CHECK(asked(used.path, "SELECT who || ' ' || subject || ' ' || revision || ' ' || content FROM audit ORDER BY id") ==
        "night settings 1 |ops settings 2 |ops account:fleet 1 bulk|ops account:build/ü 1 background|"
        "night account:fleet 2 ");
  CHECK(asked(used.path, "PRAGMA integrity_check") == "ok");
}

TEST_CASE("the ticket key and the settings, of now and of before, are nowhere in the bytes of a backup") {
  Used used;
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  const auto there = content_of_folder(used.state);
  const auto kept = content(used.path);
  for (const std::string_view never : {std::string_view(used.key), std::string_view("4711"), std::string_view("815")}) {
    CHECK(has(there, never));  // so that they would be found
    CHECK_FALSE(has(kept, never));
  }
  CHECK_FALSE(has(kept, "sessions"));
  CHECK(has(kept, "fleet"));
}

TEST_CASE("a backup is for its owner only, and nothing is left beside it") {
  Used used;
  // What a crash left is no obstacle, and none of it is in the backup.
  test::put(used.folder / "backup.new", std::string(1 << 20, 'x'));
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  CHECK((static_cast<unsigned>(std::filesystem::status(used.path).permissions()) & 0777U) == 0600U);
  CHECK_FALSE(has(content(used.path), "xxxx"));
  CHECK(value_of(used.files.list(used.folder.path())) == std::vector<std::string>{"backup", "state"});
}

TEST_CASE("a backup never replaces what is there") {
  Used used;
  test::put(used.path, "a picture");
  const auto refused = write_backup(used.files, used.state, used.path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::local);
  CHECK(refused.error().text() == used.path.string() + " is there already: remove it or name another file");
  CHECK(content(used.path) == "a picture");
  const auto itself = write_backup(used.files, used.state, used.state / SqliteStore::kFileName);
  CHECK_FALSE(itself);
}

TEST_CASE("of two backups to one file at once, one is told to wait") {
  Used used;
  const auto held = value_of(used.files.open_or_create(used.folder / "backup.new", Access::owner_only));
  REQUIRE(value_of(held->try_lock()));
  const auto refused = write_backup(used.files, used.state, used.path);
  REQUIRE_FALSE(refused);
  CHECK(has(refused.error().text(), "under way"));
}

TEST_CASE("a folder without state is named, and stays as it is") {
  const test::TempFolder folder;
  PosixFileSystem files;
  for (const auto& state : {folder / "missing", folder.path()}) {
    const auto refused = write_backup(files, state, folder / "backup");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::local);
    CHECK(refused.error().text().starts_with(state.string() + " is no state folder"));
  }
  CHECK(value_of(files.list(folder.path())).empty());
}

TEST_CASE("a database of another program, of a newer version or damaged is refused, and no backup is left") {
  struct Case {
    const char* sql;  // null: the file is no database
    const char* words;
  };
  for (const auto& [sql, words] : {Case{"PRAGMA application_id = 7", "another program"},
                                   Case{"PRAGMA user_version = 99", "newer version 99"}, Case{nullptr, "cannot"}}) {
    Used used;
    used.store.reset();
    const auto database = used.state / SqliteStore::kFileName;
    if (sql == nullptr)
      test::put(database, std::string(8192, 'x'));
    else
      tamper(database, sql);
    const auto refused = write_backup(used.files, used.state, used.path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::state);
    CHECK_MESSAGE(has(refused.error().text(), words), refused.error().text());
    CHECK(value_of(used.files.list(used.folder.path())) == std::vector<std::string>{"state"});
  }
}

TEST_CASE("a folder of the first version has no accounts yet, and stays of that version") {
  const test::TempFolder folder;
  PosixFileSystem files;
  std::filesystem::create_directory(folder / "state");
  tamper(folder / "state" / SqliteStore::kFileName,
         "PRAGMA application_id = 0x61726B76; PRAGMA user_version = 1; CREATE TABLE ticket_key (key)");
  const auto made = value_of(write_backup(files, folder / "state", folder / "backup"));
  CHECK(made.accounts + made.changes == 0);
  CHECK(asked(folder / "state" / SqliteStore::kFileName, "PRAGMA user_version") == "1");
  CHECK(value_of(restore_backup(files, folder / "backup", folder / "fresh")).accounts == 0);
}

TEST_CASE("an account is in a backup together with the row that tells who changed it, whatever goes on meanwhile") {
  Used used;
  std::thread operators([store = opened(used.state)] {
    for (std::uint64_t revision = 0; revision < 200; ++revision)
      CHECK(value_of(store->change_account(revision, {"busy", DownloadClass::bulk, 0, "ops", kTime})).is_made);
  });
  for (int i = 0; i < 10; ++i) {
    const auto path = used.folder / ("backup" + std::to_string(i));
    REQUIRE(write_backup(used.files, used.state, path).has_value());
    CHECK(asked(path,
                "SELECT ifnull((SELECT revision FROM account WHERE name = 'busy'), 0) ="
                " (SELECT count(*) FROM audit WHERE subject = 'account:busy')") == "1");
  }
  operators.join();
}

TEST_CASE("what a backup has is put into a new folder, which has a key of its own and no settings") {
  Used used;
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  const auto fresh = used.folder / "fresh";
  const auto done = value_of(restore_backup(used.files, used.path, fresh));
  CHECK(done.accounts == 2);
  CHECK(done.changes == 5);
  const auto store = opened(fresh);
  CHECK(value_of(store->accounts()) == value_of(used.store->accounts()));
  const auto changes = value_of(store->audit(10));
  REQUIRE(changes.size() == 5);
  CHECK(changes.front() == AuditRow{kTime, "night", "account:fleet", 2, ""});
  CHECK(changes.back() == AuditRow{kTime, "night", "settings", 1, ""});
  CHECK(value_of(store->settings()) == SettingsRecord{});
  CHECK_FALSE(text_of(value_of(store->ticket_key())) == used.key);
  CHECK(value_of(store->change_account(2, {"fleet", DownloadClass::release, 0, "ops", kTime})).is_made);
  CHECK(value_of(store->change_settings(0, {0, kNewSettings, "ops", kTime})).is_made);
}

TEST_CASE("a folder with changes of its own takes no backup, and stays as it is") {
  Used used;
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  const auto other = opened(used.folder / "other");
  value_of(other->change_settings(0, {0, kOldSettings, "ops", kTime}));
  const auto refused = restore_backup(used.files, used.path, used.folder / "other");
  REQUIRE_FALSE(refused);
  CHECK(has(refused.error().text(), "has accounts or changes of its own: name a new state folder"));
  CHECK(value_of(other->accounts()).empty());
  CHECK(value_of(other->audit(10)).size() == 1);
}

TEST_CASE("what is no backup is named, and nothing of it is taken") {
  Used used;
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  test::put(used.folder / "text", std::string(8192, 'x'));
  test::put(used.folder / "empty", "");
  std::filesystem::copy_file(used.path, used.folder / "newer");
  tamper(used.folder / "newer", "PRAGMA user_version = 2");
  std::filesystem::copy_file(used.path, used.folder / "odd");
  tamper(used.folder / "odd",
         "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE account (a)'"
         " WHERE name = 'account'");
  for (const auto* name : {"missing", "text", "empty", "newer", "state/arkvory-stub.db", "odd"}) {
    CAPTURE(name);
    const auto path = used.folder / name;
    const auto refused = restore_backup(used.files, path, used.folder / "fresh");
    REQUIRE_FALSE(refused);
    CHECK_MESSAGE(has(refused.error().text(), path.string()), refused.error().text());
    if (name == std::string("odd")) {
      const auto fresh = opened(used.folder / "fresh");
      CHECK(value_of(fresh->accounts()).empty());
      CHECK(value_of(fresh->audit(10)).empty());
    } else {
      CHECK_FALSE(std::filesystem::exists(used.folder / "fresh"));
    }
  }
}

TEST_CASE("a backup is not taken for a state folder") {
  Used used;
  REQUIRE(write_backup(used.files, used.state, used.path).has_value());
  std::filesystem::create_directory(used.folder / "mistaken");
  std::filesystem::copy_file(used.path, used.folder / "mistaken" / SqliteStore::kFileName);
  const auto refused = SqliteStore::open(used.folder / "mistaken");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::state);
}
