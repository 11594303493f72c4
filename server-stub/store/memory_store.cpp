// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/memory_store.h"

#include <utility>

namespace arkvory::server {
namespace {

WallTime to_milliseconds(WallTime time) { return std::chrono::floor<std::chrono::milliseconds>(time); }

}  // namespace

Result<void> MemoryStore::note_issued(WallTime time) {
  const std::lock_guard lock(mutex_);
  issued_ = to_milliseconds(time);
  return {};
}

Result<std::optional<WallTime>> MemoryStore::last_issued() {
  const std::lock_guard lock(mutex_);
  return issued_;
}

Result<SettingsRecord> MemoryStore::settings() {
  const std::lock_guard lock(mutex_);
  return settings_;
}

Result<Changed<SettingsRecord>> MemoryStore::change_settings(std::uint64_t expected, const SettingsRecord& next) {
  const std::lock_guard lock(mutex_);
  if (settings_.revision != expected) return Changed<SettingsRecord>{false, settings_};
  settings_ = next;
  settings_.revision = expected + 1;
  settings_.updated_at = to_milliseconds(next.updated_at);
  write_down(audit_row(settings_));
  return Changed<SettingsRecord>{true, settings_};
}

Result<std::vector<AccountRecord>> MemoryStore::accounts() {
  const std::lock_guard lock(mutex_);
  std::vector<AccountRecord> all;
  for (const auto& [name, account] : accounts_) all.push_back(account);
  return all;
}

Result<Changed<AccountRecord>> MemoryStore::change_account(std::uint64_t expected, const AccountRecord& next) {
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(next.name);
  const auto there = found == accounts_.end() ? AccountRecord{next.name} : found->second;
  if (there.revision != expected) return Changed<AccountRecord>{false, there};
  auto changed = next;
  changed.revision = expected + 1;
  changed.updated_at = to_milliseconds(next.updated_at);
  accounts_.insert_or_assign(next.name, changed);
  write_down(audit_row(changed));
  return Changed<AccountRecord>{true, std::move(changed)};
}

Result<std::vector<AuditRow>> MemoryStore::audit(std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<AuditRow> rows;
  for (auto row = audit_.rbegin(); row != audit_.rend() && rows.size() < most; ++row) rows.push_back(*row);
  return rows;
}

void MemoryStore::write_down(AuditRow row) {
  if (audit_.size() == kAuditRowsKept) audit_.erase(audit_.begin());
  audit_.push_back(std::move(row));
}

}  // namespace arkvory::server
