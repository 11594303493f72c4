// SPDX-License-Identifier: Apache-2.0
// The record of a batch on disk, in STATE/batches/, and the lock that makes it one process's.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "checkpoint/batch_record.h"
#include "checkpoint/owner.h"
#include "core/base/file_system.h"
#include "core/base/result.h"

namespace arkvory {

class BatchLog {
 public:
  // Fault::locked where another process works on this batch. `files` outlives the log.
  static Result<BatchLog> claim(FileSystem& files, ProcessTable& processes, const std::filesystem::path& state_folder,
                                BatchName name);

  // What an earlier run left, without claiming the batch or changing anything; nothing also where it can't be used.
  static std::optional<BatchRecord> look(FileSystem& files, const std::filesystem::path& state_folder,
                                         const BatchName& name);

  // What an earlier run left, or nothing. Fault::state where it is damaged, and then set aside so that a second call
  // finds nothing, or of a newer version, and then untouched.
  Result<std::optional<BatchRecord>> restore();
  // Durable when it returns.
  Result<void> record(const BatchRecord& record);
  // Removes the record: the batch is over.
  Result<void> forget();
  // Gives the lock up. The record stays.
  void release();

 private:
  BatchLog(FileSystem& files, BatchName name, std::filesystem::path path, std::shared_ptr<File> lock)
      : files_(&files), name_(std::move(name)), path_(std::move(path)), lock_(std::move(lock)) {}

  FileSystem* files_;
  BatchName name_;
  std::filesystem::path path_;
  std::shared_ptr<File> lock_;
};

}  // namespace arkvory
