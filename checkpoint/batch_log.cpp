// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/batch_log.h"

#include <span>

#include "core/base/digest.h"

namespace arkvory {

namespace {

namespace fs = std::filesystem;

// How often the name may come to mean another file between opening and locking before that is no accident.
constexpr int kMostTries = 100;

fs::path with_suffix(const fs::path& path, const char* suffix) {
  auto whole = path;
  whole += suffix;
  return whole;
}

// Without a suffix.
fs::path path_of(const fs::path& state_folder, const BatchName& name) {
  Sha256 digest;
  for (const auto* part : {&name.list.native(), &name.folder.native(), &name.base_url}) {
    digest.update(std::as_bytes(std::span(*part)));
    digest.update(std::as_bytes(std::span("", 1)));
  }
  return state_folder / "batches" / digest.finish().to_hex();
}

// Open and locked, or null where the name came to mean another file meanwhile: the one who had it has finished.
Result<std::shared_ptr<File>> try_lock(FileSystem& files, ProcessTable& processes, const fs::path& path,
                                       const fs::path& list) {
  auto file = files.open_or_create(path, Access::owner_only);
  if (!file) return pass_on(file.error());
  auto identity = (*file)->identity();
  if (!identity) return pass_on(identity.error());
  auto got = (*file)->try_lock();
  if (!got) return pass_on(got.error());
  auto named = files.status(path);
  if (!named) return pass_on(named.error());
  if (!*named || (*named)->identity != *identity) return std::shared_ptr<File>();
  if (*got) return std::move(*file);
  const auto holder = processes.lock_holder(*identity);
  const auto who = holder ? "the process with pid " + std::to_string(*holder) : std::string("another process");
  return fail(Fault::locked, who + " works on the list " + list.string());
}

}  // namespace

Result<BatchLog> BatchLog::claim(FileSystem& files, ProcessTable& processes, const fs::path& state_folder,
                                 BatchName name) {
  const auto path = path_of(state_folder, name);
  if (auto made = files.make_folders(path.parent_path()); !made) return pass_on(made.error());
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto lock = try_lock(files, processes, with_suffix(path, ".lock"), name.list);
    if (!lock) return pass_on(lock.error());
    if (*lock) return BatchLog(files, std::move(name), with_suffix(path, ".json"), std::move(*lock));
  }
  return fail(Fault::locked, "the lock on the list " + name.list.string() + " is replaced again and again");
}

std::optional<BatchRecord> BatchLog::look(FileSystem& files, const fs::path& state_folder, const BatchName& name) {
  const auto text = read_whole(files, with_suffix(path_of(state_folder, name), ".json"), kLargestBatchRecord);
  if (!text || !*text) return std::nullopt;
  auto record = decode_batch_record(**text, name);
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

Result<std::optional<BatchRecord>> BatchLog::restore() {
  auto text = read_whole(*files_, path_, kLargestBatchRecord);
  if (!text) return pass_on(text.error());
  if (!*text) return std::optional<BatchRecord>();
  if (is_newer_batch_record(**text))
    return fail(Fault::state, path_.string() + " is of a newer version of this program and was left alone");
  auto record = decode_batch_record(**text, name_);
  if (record) return std::optional(std::move(*record));
  auto aside = path_;
  aside.replace_extension(".bad.json");
  if (auto renamed = files_->rename(path_, aside); !renamed) return pass_on(renamed.error());
  auto error = record.error();
  error.words += "; it is now " + aside.string();
  return pass_on(std::move(error));
}

Result<void> BatchLog::record(const BatchRecord& record) {
  const auto text = encode_batch_record(name_, record);
  return files_->replace_durably(path_, std::as_bytes(std::span(text)));
}

Result<void> BatchLog::forget() {
  if (auto removed = files_->remove(aside_path(path_)); !removed) return removed;
  if (auto removed = files_->remove(path_); !removed) return removed;
  return files_->sync_folder(path_.parent_path());
}

void BatchLog::release() {
  // While it is held, so that nobody's lock but ours is removed.
  auto lock = path_;
  if (lock_) (void)files_->remove(lock.replace_extension(".lock"));
  lock_.reset();
}

}  // namespace arkvory
