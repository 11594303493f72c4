// SPDX-License-Identifier: Apache-2.0
#include "server-stub/store/store.h"

namespace arkvory::server {

AuditRow audit_row(const SettingsRecord& record) {
  return {record.updated_at, record.updated_by, "settings", record.revision, record.overrides};
}

AuditRow audit_row(const AccountRecord& record) {
  const auto content = record.own_class ? std::string(to_string(*record.own_class)) : std::string();
  return {record.updated_at, record.updated_by, "account:" + record.name, record.revision, content};
}

}  // namespace arkvory::server
