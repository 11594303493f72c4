// SPDX-License-Identifier: Apache-2.0
// All that a state folder holds.
#pragma once

#include "server-stub/store/account_store.h"
#include "server-stub/store/audit.h"
#include "server-stub/store/key_store.h"
#include "server-stub/store/settings_store.h"

namespace arkvory::server {

// As a change that led to the record is written down.
AuditRow audit_row(const SettingsRecord& record);
AuditRow audit_row(const AccountRecord& record);

class Store : public KeyStore, public SettingsStore, public AccountStore, public Audit {};

}  // namespace arkvory::server
