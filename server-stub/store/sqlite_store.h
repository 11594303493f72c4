// SPDX-License-Identifier: Apache-2.0
// The store of a state folder: the SQLite file `arkvory-stub.db`. Several processes may use it at once; the folder must
// be on a disk of this machine, because SQLite's locks do not hold on network file systems.
//
// Its format is a list of numbered steps (sqlite_store.cpp); `user_version` tells how many were taken. A file of a
// newer version is refused and not written to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "server-stub/store/store.h"

namespace arkvory::server {

class SqliteStore final : public Store {
 public:
  static constexpr const char* kFileName = "arkvory-stub.db";
  // "arkv", in the file's head: whose file it is.
  static constexpr std::int64_t kApplicationId = 0x61726B76;
  static constexpr std::int64_t kVersion = 2;

  // Makes the folder (0700) and the file (0600) where they are missing. Fault::local where they can't be had,
  // Fault::state where the file is damaged, none of ours, or of a newer version. Where another process keeps it from
  // being opened now, every call tries again.
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& folder);
  ~SqliteStore() override;

  Result<TicketKey> ticket_key() override;
  Result<void> note_issued(WallTime time) override;
  Result<std::optional<WallTime>> last_issued() override;

  Result<SettingsRecord> settings() override;
  Result<Changed<SettingsRecord>> change_settings(std::uint64_t expected, const SettingsRecord& next) override;
  Result<std::vector<AccountRecord>> accounts() override;
  Result<Changed<AccountRecord>> change_account(std::uint64_t expected, const AccountRecord& next) override;
  Result<std::vector<AuditRow>> audit(std::size_t most) override;

 private:
  class Database;
  explicit SqliteStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace arkvory::server
