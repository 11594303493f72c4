// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/sqlite_backup.h"

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

#include "server-stub/store/sqlite_statement.h"
#include "server-stub/store/sqlite_store.h"

namespace arkvory::server {
namespace {

constexpr int kBusyMilliseconds = 5000;

// "arkb", where a state folder's file has "arkv".
constexpr std::int64_t kBackupId = 0x61726B62;
constexpr std::int64_t kBackupVersion = 1;

// Of version 1, which stays as it is. Without a journal, for what a crash leaves of it is never given its name.
constexpr const char* kMake =
    "PRAGMA main.journal_mode = OFF;"
    "PRAGMA main.synchronous = FULL;"
    "BEGIN;"
    "CREATE TABLE main.account (name TEXT PRIMARY KEY, class TEXT, revision INTEGER NOT NULL CHECK (revision > 0),"
    "                           updated_by TEXT NOT NULL, updated_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE main.audit (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, who TEXT NOT NULL,"
    "                         subject TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL) STRICT;";

// `other` is what is read, `main` what is written: from the folder to the backup, and the other way.
constexpr const char* kCopy =
    "INSERT INTO main.account (name, class, revision, updated_by, updated_ms)"
    " SELECT name, class, revision, updated_by, updated_ms FROM other.account;"
    "INSERT INTO main.audit (id, at_ms, who, subject, revision, content)"
    " SELECT id, at_ms, who, subject, revision, CASE subject WHEN 'settings' THEN '' ELSE content END"
    " FROM other.audit;";

// A connection to a file, `main`, and to a second one, `other`.
class Pair {
 public:
  // `words` begin every failure.
  explicit Pair(std::string words) : words_(std::move(words)) {}
  ~Pair() { sqlite3_close(raw_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // Both have to be there, but for one in memory.
  Result<void> open(const std::filesystem::path& main, const std::filesystem::path& other) {
    const int code = sqlite3_open_v2(main.c_str(), &raw_, SQLITE_OPEN_READWRITE, nullptr);
    if (code != SQLITE_OK) return failure(code);
    sqlite3_extended_result_codes(raw_, 1);
    sqlite3_busy_timeout(raw_, kBusyMilliseconds);
    const auto name = other.string();
    Statement attach(raw_, "ATTACH ? AS other");
    const int attached = attach.bind(std::string_view(name)).step();
    if (attached != SQLITE_DONE) return failure(attached);
    // What a file of unknown making says of itself runs nothing.
    return run("PRAGMA trusted_schema = OFF");
  }

  Result<void> run(const char* text) {
    const int code = sqlite3_exec(raw_, text, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failure(code);
    return {};
  }

  Result<std::int64_t> number(const char* query) {
    Statement statement(raw_, query);
    const int code = statement.step();
    if (code != SQLITE_ROW) return failure(code);
    return statement.number();
  }

  // As `number`, of what is text.
  Result<std::string> text(const char* query) {
    Statement statement(raw_, query);
    const int code = statement.step();
    if (code != SQLITE_ROW) return failure(code);
    return statement.text(0);
  }

 private:
  tl::unexpected<Error> failure(int code) const {
    return fail(is_damage(code) ? Fault::state : Fault::local, words_,
                raw_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(raw_));
  }

  const std::string words_;
  sqlite3* raw_ = nullptr;
};

// That `other` is of this kind; its version.
Result<std::int64_t> version_of(Pair& pair, std::int64_t id, const std::string& none_of_ours) {
  const auto owner = pair.number("PRAGMA other.application_id");
  if (!owner) return pass_on(owner.error());
  if (*owner != id) return fail(Fault::state, none_of_ours);
  return pair.number("PRAGMA other.user_version");
}

Result<BackupContent> counted(Pair& pair) {
  const auto accounts = pair.number("SELECT count(*) FROM main.account");
  if (!accounts) return pass_on(accounts.error());
  const auto changes = pair.number("SELECT count(*) FROM main.audit");
  if (!changes) return pass_on(changes.error());
  return BackupContent{static_cast<std::uint64_t>(*accounts), static_cast<std::uint64_t>(*changes)};
}

tl::unexpected<Error> is_there(const std::filesystem::path& path) {
  return fail(Fault::local, path.string() + " is there already: remove it or name another file");
}

// Into the empty file `aside`. All that is read of the folder is read in one transaction.
Result<BackupContent> fill(const std::filesystem::path& aside, const std::filesystem::path& database) {
  Pair pair("cannot back up " + database.string());
  if (auto opened = pair.open(aside, database); !opened) return pass_on(opened.error());
  if (auto made = pair.run(kMake); !made) return pass_on(made.error());
  const auto version =
      version_of(pair, SqliteStore::kApplicationId, database.string() + " is a database of another program");
  if (!version) return pass_on(version.error());
  if (*version > SqliteStore::kVersion)
    return fail(Fault::state, database.string() + " is of the newer version " + std::to_string(*version) +
                                  "; this program knows versions up to " + std::to_string(SqliteStore::kVersion));
  // The first version had neither table.
  if (*version > 1)
    if (auto copied = pair.run(kCopy); !copied) return pass_on(copied.error());
  auto content = counted(pair);
  if (!content) return content;
  const auto sign = "PRAGMA main.application_id = " + std::to_string(kBackupId) +
                    "; PRAGMA main.user_version = " + std::to_string(kBackupVersion) + "; COMMIT";
  if (auto ended = pair.run(sign.c_str()); !ended) return pass_on(ended.error());
  return content;
}

// That a state folder may take what the backup, `other`, has.
Result<void> check_backup(Pair& pair, const std::string& name) {
  const auto version = version_of(pair, kBackupId, name + " is no backup of arkvory-stub");
  if (!version) return pass_on(version.error());
  if (*version > kBackupVersion)
    return fail(Fault::state, name + " is of the newer version " + std::to_string(*version) +
                                  "; this program knows versions up to " + std::to_string(kBackupVersion));
  const auto sound = pair.text("PRAGMA other.integrity_check(1)");
  if (!sound) return pass_on(sound.error());
  if (*sound != "ok") return fail(Fault::state, name + " is damaged", *sound);
  return {};
}

}  // namespace

Result<BackupContent> write_backup(FileSystem& files, const std::filesystem::path& folder,
                                   const std::filesystem::path& path) {
  const auto database = folder / SqliteStore::kFileName;
  const auto source = files.status(database);
  if (!source) return pass_on(source.error());
  if (!*source)
    return fail(Fault::local,
                folder.string() + " is no state folder: there is no " + SqliteStore::kFileName + " in it");
  const auto before = files.status(path);
  if (!before) return pass_on(before.error());
  if (*before) return is_there(path);

  const auto aside = aside_path(path);
  auto file = files.open_or_create(aside, Access::owner_only);
  if (!file) return pass_on(file.error());
  const auto locked = (*file)->try_lock();
  if (!locked) return pass_on(locked.error());
  if (!*locked) return fail(Fault::local, "another backup to " + path.string() + " is under way: wait for it");
  // Again: whoever had the lock may have given this very file its name.
  const auto there = files.status(path);
  if (!there) return pass_on(there.error());
  if (*there) return is_there(path);

  auto done = [&]() -> Result<BackupContent> {
    if (auto kept = (*file)->set_access(Access::owner_only); !kept) return pass_on(kept.error());
    if (auto emptied = (*file)->truncate(0); !emptied) return pass_on(emptied.error());
    auto content = fill(aside, database);
    if (!content) return content;
    if (auto synced = (*file)->sync(); !synced) return pass_on(synced.error());
    const auto renamed = files.rename_to_new(aside, path);
    if (!renamed) return pass_on(renamed.error());
    if (!*renamed) return is_there(path);
    return content;
  }();
  if (!done) {
    // The failure that was first is the one to tell.
    (void)files.remove(aside);
    return done;
  }
  const auto parent = path.parent_path();
  if (auto synced = files.sync_folder(parent.empty() ? "." : parent); !synced) return pass_on(synced.error());
  return done;
}

Result<BackupContent> restore_backup(FileSystem& files, const std::filesystem::path& path,
                                     const std::filesystem::path& folder) {
  const auto backup = files.open_to_read(path);
  if (!backup) return pass_on(backup.error());
  if (*backup == nullptr) return fail(Fault::local, "there is no " + path.string());
  // First of all, so that a wrong file makes no folder.
  Pair alone("cannot read " + path.string());
  if (auto opened = alone.open(":memory:", path); !opened) return pass_on(opened.error());
  if (auto fits = check_backup(alone, path.string()); !fits) return pass_on(fits.error());
  // Makes the folder and its tables where they are missing.
  if (auto made = SqliteStore::open(folder); !made) return pass_on(made.error());
  Pair pair("cannot restore " + path.string() + " into " + folder.string());
  if (auto opened = pair.open(folder / SqliteStore::kFileName, path); !opened) return pass_on(opened.error());
  if (auto begun = pair.run("PRAGMA main.synchronous = FULL; BEGIN IMMEDIATE"); !begun) return pass_on(begun.error());
  const auto before = counted(pair);
  if (!before) return before;
  if (before->accounts + before->changes > 0)
    return fail(Fault::local, folder.string() + " has accounts or changes of its own: name a new state folder");
  if (auto copied = pair.run(kCopy); !copied) return pass_on(copied.error());
  auto content = counted(pair);
  if (!content) return content;
  if (auto ended = pair.run("COMMIT"); !ended) return pass_on(ended.error());
  return content;
}

}  // namespace arkvory::server
