// SPDX-License-Identifier: Apache-2.0
// The classes that operators gave to service accounts (protocol.md §5). Threads and faults are as in settings_store.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/download_class.h"
#include "server-stub/store/settings_store.h"

namespace arkvory::server {

struct AccountRecord {
  std::string name;
  std::optional<DownloadClass> own_class{};  // none: as the principals file says
  std::uint64_t revision = 0;                // of this account, counts from 1; 0: nothing was ever stored
  std::string updated_by{};
  WallTime updated_at{};

  friend bool operator==(const AccountRecord&, const AccountRecord&) = default;
};

class AccountStore {
 public:
  virtual ~AccountStore() = default;

  // All that were ever changed, by name.
  virtual Result<std::vector<AccountRecord>> accounts() = 0;
  // As SettingsStore::change_settings, for the account `next.name`.
  virtual Result<Changed<AccountRecord>> change_account(std::uint64_t expected, const AccountRecord& next) = 0;
};

}  // namespace arkvory::server
