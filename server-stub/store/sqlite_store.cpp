// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/sqlite_store.h"

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/file_system.h"
#include "server-stub/store/sqlite_statement.h"

namespace arkvory::server {
namespace {

constexpr int kBusyMilliseconds = 5000;
// Of an attempt to open that comes after one that failed: it will be tried again anyway, and a start needs several.
constexpr int kBusyMillisecondsAgain = 250;
// Two processes that turn the same new file to WAL can get in each other's way for a moment.
constexpr int kWalAttempts = 100;

// Step n leads from version n to n + 1. A step that was released is never changed.
constexpr std::array<const char*, SqliteStore::kVersion> kSteps{
    "CREATE TABLE ticket_key (id INTEGER PRIMARY KEY CHECK (id = 1),"
    "                         key BLOB NOT NULL CHECK (length(key) = 32)) STRICT;"
    "CREATE TABLE tickets_issued (id INTEGER PRIMARY KEY CHECK (id = 1), last_ms INTEGER NOT NULL) STRICT;",
    "CREATE TABLE settings (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL CHECK (revision > 0),"
    "                       overrides TEXT NOT NULL, updated_by TEXT NOT NULL, updated_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE account (name TEXT PRIMARY KEY, class TEXT, revision INTEGER NOT NULL CHECK (revision > 0),"
    "                      updated_by TEXT NOT NULL, updated_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE audit (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, who TEXT NOT NULL, subject TEXT NOT NULL,"
    "                    revision INTEGER NOT NULL, content TEXT NOT NULL) STRICT;"};

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

WallTime time_of(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

// Never wider than 0600, whatever the umask was: SQLite gives its other files the access of this one. The file is made
// here only where there is none, for closing one would take away the locks of whoever in this process has it open.
Result<void> prepare_file(const std::filesystem::path& folder, const std::filesystem::path& path) {
  PosixFileSystem files;
  if (auto made = files.make_folders(folder); !made) return made;
  auto there = files.status(path);
  if (!there) return pass_on(there.error());
  if (!*there) {
    auto file = files.open_or_create(path, Access::owner_only);
    if (!file) return pass_on(file.error());
  }
  std::error_code failed;
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failed);
  if (failed) return fail(Fault::local, "cannot keep others from " + path.string(), failed.message());
  return {};
}

}  // namespace

// The open file. One statement or transaction at a time.
class SqliteStore::Database {
 public:
  explicit Database(std::filesystem::path path) : path_(std::move(path)) {}
  ~Database() { sqlite3_close(raw_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> open() {
    const std::lock_guard lock(mutex_);
    return open_where_needed();
  }

  // Runs `work` in a transaction that may write: all of it is kept, durably, or nothing.
  template <typename Work>
  auto write(Work work) -> decltype(work()) {
    const std::lock_guard lock(mutex_);
    if (auto opened = open_where_needed(); !opened) return pass_on(opened.error());
    return in_transaction(work);
  }

  template <typename Work>
  auto read(Work work) -> decltype(work()) {
    const std::lock_guard lock(mutex_);
    if (auto opened = open_where_needed(); !opened) return pass_on(opened.error());
    return work();
  }

  Result<void> run(const char* text) {
    const int code = sqlite3_exec(raw_, text, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failure("use", code);
    return {};
  }

  Result<std::optional<std::int64_t>> number(const char* query) {
    Statement statement(raw_, query);
    const int code = statement.step();
    if (code == SQLITE_DONE) return std::optional<std::int64_t>();
    if (code != SQLITE_ROW) return failure("read", code);
    return std::optional(statement.number());
  }

  Result<std::optional<TicketKey>> key() {
    Statement statement(raw_, "SELECT key FROM ticket_key");
    const int code = statement.step();
    if (code == SQLITE_DONE) return std::optional<TicketKey>();
    if (code != SQLITE_ROW) return failure("read", code);
    const auto stored = statement.bytes();
    TicketKey::Bytes bytes{};
    if (stored.size() != bytes.size()) return fail(Fault::state, "the ticket key in " + path_.string() + " is damaged");
    std::memcpy(bytes.data(), stored.data(), bytes.size());
    return std::optional(TicketKey(bytes));
  }

  Result<SettingsRecord> settings() {
    Statement statement(raw_, "SELECT revision, overrides, updated_by, updated_ms FROM settings");
    const int code = statement.step();
    if (code == SQLITE_DONE) return SettingsRecord{};
    if (code != SQLITE_ROW) return failure("read", code);
    return SettingsRecord{static_cast<std::uint64_t>(statement.number(0)), statement.text(1), statement.text(2),
                          time_of(statement.number(3))};
  }

  Result<void> store(const SettingsRecord& record) {
    Statement statement(raw_,
                        "INSERT OR REPLACE INTO settings (id, revision, overrides, updated_by, updated_ms)"
                        " VALUES (1, ?, ?, ?, ?)");
    statement.bind(static_cast<std::int64_t>(record.revision)).bind(std::string_view(record.overrides));
    return finish(statement.bind(std::string_view(record.updated_by)).bind(milliseconds_of(record.updated_at)));
  }

  // All, or the one of that name.
  Result<std::vector<AccountRecord>> accounts(const std::string* name = nullptr) {
    std::string query = "SELECT name, class, revision, updated_by, updated_ms FROM account";
    query += name == nullptr ? " ORDER BY name" : " WHERE name = ?";
    Statement statement(raw_, query.c_str());
    if (name != nullptr) statement.bind(std::string_view(*name));
    std::vector<AccountRecord> all;
    int code = statement.step();
    for (; code == SQLITE_ROW; code = statement.step()) {
      auto& account = all.emplace_back();
      account.name = statement.text(0);
      if (!statement.is_null(1)) account.own_class = parse_download_class(statement.text(1));
      account.revision = static_cast<std::uint64_t>(statement.number(2));
      account.updated_by = statement.text(3);
      account.updated_at = time_of(statement.number(4));
    }
    if (code != SQLITE_DONE) return failure("read", code);
    return all;
  }

  Result<void> store(const AccountRecord& record) {
    Statement statement(raw_,
                        "INSERT OR REPLACE INTO account (name, class, revision, updated_by, updated_ms)"
                        " VALUES (?, ?, ?, ?, ?)");
    statement.bind(std::string_view(record.name));
    if (record.own_class)
      statement.bind(to_string(*record.own_class));
    else
      statement.bind_null();
    statement.bind(static_cast<std::int64_t>(record.revision)).bind(std::string_view(record.updated_by));
    return finish(statement.bind(milliseconds_of(record.updated_at)));
  }

  Result<std::vector<AuditRow>> audit(std::size_t most) {
    Statement statement(raw_, "SELECT at_ms, who, subject, revision, content FROM audit ORDER BY id DESC LIMIT ?");
    statement.bind(static_cast<std::int64_t>(most));
    std::vector<AuditRow> rows;
    int code = statement.step();
    for (; code == SQLITE_ROW; code = statement.step())
      rows.push_back({time_of(statement.number(0)), statement.text(1), statement.text(2),
                      static_cast<std::uint64_t>(statement.number(3)), statement.text(4)});
    if (code != SQLITE_DONE) return failure("read", code);
    return rows;
  }

  Result<void> write_down(const AuditRow& row) {
    Statement statement(raw_, "INSERT INTO audit (at_ms, who, subject, revision, content) VALUES (?, ?, ?, ?, ?)");
    statement.bind(milliseconds_of(row.at)).bind(std::string_view(row.who)).bind(std::string_view(row.subject));
    return finish(statement.bind(static_cast<std::int64_t>(row.revision)).bind(std::string_view(row.content)));
  }

  // Where the stored one, `there`, has the revision expected: `next` takes its place, and that is written down.
  template <typename Record>
  Result<Changed<Record>> change(std::uint64_t expected, const Record& there, Record next) {
    if (there.revision != expected) return Changed<Record>{false, there};
    next.revision = expected + 1;
    next.updated_at = time_of(milliseconds_of(next.updated_at));
    if (auto stored = store(next); !stored) return pass_on(stored.error());
    if (auto noted = write_down(audit_row(next)); !noted) return pass_on(noted.error());
    return Changed<Record>{true, std::move(next)};
  }

  template <typename Value>
  Result<void> store(const char* text, const Value& value) {
    const int code = Statement(raw_, text).bind(value).step();
    if (code != SQLITE_DONE) return failure("write", code);
    return {};
  }

 private:
  Result<void> open_where_needed() {
    if (is_open_) return {};
    // What is left of an attempt that failed.
    sqlite3_close(raw_);
    raw_ = nullptr;
    auto opened = open_file();
    is_open_ = opened.has_value();
    has_failed_ = !is_open_;
    if (is_open_) sqlite3_busy_timeout(raw_, kBusyMilliseconds);
    return opened;
  }

  Result<void> open_file() {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    const int code = sqlite3_open_v2(path_.c_str(), &raw_, flags, nullptr);
    if (code != SQLITE_OK) return failure("open", code);
    sqlite3_extended_result_codes(raw_, 1);
    sqlite3_busy_timeout(raw_, has_failed_ ? kBusyMillisecondsAgain : kBusyMilliseconds);
    // First of all, and before anything is written. In one transaction, for another process may be at its first steps.
    if (auto begun = run("BEGIN"); !begun) return begun;
    if (auto known = check_version(); !known) return known;
    if (auto ended = run("COMMIT"); !ended) return ended;
    if (auto turned = turn_to_wal(); !turned) return turned;
    if (auto full = run("PRAGMA synchronous = FULL"); !full) return full;
    return migrate();
  }

  template <typename Work>
  auto in_transaction(Work& work) -> decltype(work()) {
    // At once for writing: a transaction that only becomes one later can be refused in spite of the busy timeout.
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return pass_on(begun.error());
    auto done = work();
    auto ended = run(done ? "COMMIT" : "ROLLBACK");
    if (!ended && done) {
      if (sqlite3_get_autocommit(raw_) == 0) sqlite3_exec(raw_, "ROLLBACK", nullptr, nullptr, nullptr);
      return pass_on(ended.error());
    }
    return done;
  }

  Result<void> finish(Statement& statement) {
    const int code = statement.step();
    if (code != SQLITE_DONE) return failure("write", code);
    return {};
  }

  tl::unexpected<Error> failure(const char* tried, int code) const {
    const auto fault = is_damage(code) ? Fault::state : Fault::local;
    return fail(fault, std::string("cannot ") + tried + " " + path_.string(),
                raw_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(raw_));
  }

  Result<void> check_version() {
    const auto version = number("PRAGMA user_version");
    if (!version) return pass_on(version.error());
    const auto owner = number("PRAGMA application_id");
    if (!owner) return pass_on(owner.error());
    const auto taken = version->value_or(0);
    if (taken > static_cast<std::int64_t>(kSteps.size()))
      return fail(Fault::state, path_.string() + " is of the newer version " + std::to_string(taken) +
                                    "; this program knows versions up to " + std::to_string(kSteps.size()));
    const auto tables = number("SELECT count(*) FROM sqlite_schema");
    if (!tables) return pass_on(tables.error());
    const bool is_new = taken == 0 && owner->value_or(0) == 0 && tables->value_or(0) == 0;
    if (!is_new && owner->value_or(0) != kApplicationId)
      return fail(Fault::state, path_.string() + " is a database of another program");
    return {};
  }

  // Waiting for the other process's transaction to end is what BEGIN IMMEDIATE does for us.
  Result<void> turn_to_wal() {
    auto turned = run("PRAGMA journal_mode = WAL");
    for (int attempt = 0; !turned && is_busy() && attempt < kWalAttempts; ++attempt) {
      if (auto waited = run("BEGIN IMMEDIATE; COMMIT"); !waited) return waited;
      turned = run("PRAGMA journal_mode = WAL");
    }
    return turned;
  }

  bool is_busy() const {
    const int kind = sqlite3_errcode(raw_) & 0xFF;
    return kind == SQLITE_BUSY || kind == SQLITE_LOCKED;
  }

  Result<void> migrate() {
    const auto steps = [this]() -> Result<void> {
      // Again, now that nobody else can take a step meanwhile.
      if (auto known = check_version(); !known) return known;
      const auto version = number("PRAGMA user_version");
      if (!version) return pass_on(version.error());
      const auto taken = static_cast<std::size_t>(version->value_or(0));
      if (taken == kSteps.size()) return {};
      for (auto next = taken; next < kSteps.size(); ++next)
        if (auto done = run(kSteps[next]); !done) return done;
      const auto sign = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                        "; PRAGMA user_version = " + std::to_string(kSteps.size());
      return run(sign.c_str());
    };
    return in_transaction(steps);
  }

  const std::filesystem::path path_;
  sqlite3* raw_ = nullptr;
  bool is_open_ = false;
  bool has_failed_ = false;  // the last attempt to open it
  std::mutex mutex_;
};

SqliteStore::SqliteStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& folder) {
  const auto path = folder / kFileName;
  if (auto ready = prepare_file(folder, path); !ready) return pass_on(ready.error());
  auto database = std::make_unique<Database>(path);
  // What can't be had now is tried again with each call: only a file that will never do is refused.
  if (auto opened = database->open(); !opened && opened.error().fault == Fault::state) return pass_on(opened.error());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(database)));
}

Result<TicketKey> SqliteStore::ticket_key() {
  auto stored = database_->read([this] { return database_->key(); });
  if (!stored) return pass_on(stored.error());
  if (*stored) return **stored;
  return database_->write([this]() -> Result<TicketKey> {
    // Whoever was first while we waited for the right to write has made it.
    auto made = database_->key();
    if (!made) return pass_on(made.error());
    if (*made) return **made;
    const auto fresh = TicketKey::fresh();
    const std::span<const std::byte> bytes(fresh.reveal());
    if (auto kept = database_->store("INSERT INTO ticket_key (id, key) VALUES (1, ?)", bytes); !kept)
      return pass_on(kept.error());
    return fresh;
  });
}

Result<void> SqliteStore::note_issued(WallTime time) {
  const auto milliseconds = milliseconds_of(time);
  return database_->write([this, milliseconds] {
    return database_->store("INSERT OR REPLACE INTO tickets_issued (id, last_ms) VALUES (1, ?)", milliseconds);
  });
}

Result<std::optional<WallTime>> SqliteStore::last_issued() {
  const auto stored = database_->read([this] { return database_->number("SELECT last_ms FROM tickets_issued"); });
  if (!stored) return pass_on(stored.error());
  if (!*stored) return std::optional<WallTime>();
  return std::optional(time_of(**stored));
}

Result<SettingsRecord> SqliteStore::settings() {
  return database_->read([this] { return database_->settings(); });
}

Result<Changed<SettingsRecord>> SqliteStore::change_settings(std::uint64_t expected, const SettingsRecord& next) {
  return database_->write([&, this]() -> Result<Changed<SettingsRecord>> {
    const auto there = database_->settings();
    if (!there) return pass_on(there.error());
    return database_->change(expected, *there, next);
  });
}

Result<std::vector<AccountRecord>> SqliteStore::accounts() {
  return database_->read([this] { return database_->accounts(); });
}

Result<Changed<AccountRecord>> SqliteStore::change_account(std::uint64_t expected, const AccountRecord& next) {
  return database_->write([&, this]() -> Result<Changed<AccountRecord>> {
    const auto there = database_->accounts(&next.name);
    if (!there) return pass_on(there.error());
    return database_->change(expected, there->empty() ? AccountRecord{next.name} : there->front(), next);
  });
}

Result<std::vector<AuditRow>> SqliteStore::audit(std::size_t most) {
  return database_->read([this, most] { return database_->audit(most); });
}

}  // namespace arkvory::server
