// SPDX-License-Identifier: Apache-2.0
#include "cli/list_progress.h"

namespace arkvory::cli {

namespace {

constexpr Duration kKeepTime = std::chrono::seconds(5);

ByteRange only(std::uint64_t line) { return ByteRange(line, line + 1); }

}  // namespace

ListProgress::ListProgress(std::optional<BatchLog> log, const Clock& clock, std::optional<BatchRecord> earlier)
    : log_(std::move(log)), clock_(clock), record_(earlier.value_or(BatchRecord{})), kept_(clock.now()) {}

void ListProgress::open(std::uint64_t line, bool is_absent) {
  record_.open.remove(only(line));
  record_.done.remove(only(line));
  if (!is_absent) return;
  record_.open.add(only(line));
  opened_.add(only(line));
  is_new_ = must_be_kept_ = true;
}

bool ListProgress::add(IntervalSet& set, std::uint64_t line) {
  set.add(only(line));
  if (set.count() <= kMostLineRuns) return true;
  set.remove(only(line));
  return false;
}

void ListProgress::done(std::uint64_t line, bool is_elsewhere) {
  if (was_done(line)) return;
  failed(line);
  if (is_elsewhere && !add(record_.elsewhere, line)) is_scattered_ = true;
  if (!add(record_.done, line)) is_scattered_ = true;
  is_new_ = true;
}

void ListProgress::failed(std::uint64_t line) {
  record_.open.remove(only(line));
  opened_.remove(only(line));
}

void ListProgress::unfinished(std::uint64_t line) { opened_.remove(only(line)); }

void ListProgress::read_to(std::uint64_t length, std::uint64_t digest) {
  // What an earlier run knew of further lines holds for its own, longer text, which was compared.
  if (length < record_.length) return;
  record_.length = length;
  record_.digest = digest;
}

Result<void> ListProgress::keep() {
  kept_ = clock_.now();
  is_new_ = must_be_kept_ = false;
  return log_ ? log_->record(record_) : Result<void>();
}

Result<void> ListProgress::keep_before_beginning() { return must_be_kept_ ? keep() : Result<void>(); }

Result<void> ListProgress::keep_now_and_then() {
  return is_new_ && clock_.now() - kept_ >= kKeepTime ? keep() : Result<void>();
}

Result<void> ListProgress::end(bool is_over) {
  // What this run has not finished it has not published either.
  for (const auto& lines : opened_.ranges()) record_.open.remove(lines);
  opened_.clear();
  if (!log_) return {};
  auto kept = is_over ? log_->forget() : log_->record(record_);
  log_->release();
  return kept;
}

}  // namespace arkvory::cli
