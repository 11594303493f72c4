// SPDX-License-Identifier: Apache-2.0
// A backup of a state folder (protocol.md §5): one SQLite file with the accounts and with who changed what. It never
// has the ticket key, the queue or the settings record, which fit one machine and its link: the file is made from
// nothing, table by table, so that not even a freed page of the folder's file is ever in it. Of a change of settings it
// tells who made it and when, and not to what.
//
// A backup is no state folder and can't be taken for one: it is marked as a file of another kind.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory::server {

struct BackupContent {
  std::uint64_t accounts = 0;
  std::uint64_t changes = 0;  // rows of the audit
};

// Writes `path` (0600) aside, syncs and renames it; what is there already is never replaced. Servers on `folder` go on
// meanwhile, and what they change is in the backup as a whole or not at all. Fault::local where the one can't be
// written or the other is no state folder, Fault::state where that is damaged or of a newer version.
Result<BackupContent> write_backup(FileSystem& files, const std::filesystem::path& folder,
                                   const std::filesystem::path& path);

// Puts what `path` holds into `folder`, which is made where it is missing and must have neither accounts nor changes:
// all or nothing. The same faults.
Result<BackupContent> restore_backup(FileSystem& files, const std::filesystem::path& path,
                                     const std::filesystem::path& folder);

}  // namespace arkvory::server
