// SPDX-License-Identifier: Apache-2.0
// A Store that ends with the process: for a server without a state folder, and for tests.
#pragma once

#include <map>
#include <mutex>

#include "server-stub/store/store.h"

namespace arkvory::server {

class MemoryStore final : public Store {
 public:
  Result<TicketKey> ticket_key() override { return key_; }
  Result<void> note_issued(WallTime time) override;
  Result<std::optional<WallTime>> last_issued() override;

  Result<SettingsRecord> settings() override;
  Result<Changed<SettingsRecord>> change_settings(std::uint64_t expected, const SettingsRecord& next) override;
  Result<std::vector<AccountRecord>> accounts() override;
  Result<Changed<AccountRecord>> change_account(std::uint64_t expected, const AccountRecord& next) override;
  Result<std::vector<AuditRow>> audit(std::size_t most) override;

 private:
  // The newest, for they are not meant to outlive anything.
  static constexpr std::size_t kAuditRowsKept = 1000;
  void write_down(AuditRow row);

  const TicketKey key_ = TicketKey::fresh();
  std::mutex mutex_;
  std::optional<WallTime> issued_{};
  SettingsRecord settings_{};
  std::map<std::string, AccountRecord> accounts_{};
  std::vector<AuditRow> audit_{};  // oldest first
};

}  // namespace arkvory::server
