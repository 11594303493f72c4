// SPDX-License-Identifier: Apache-2.0
// How far a list has come, over all runs of the same batch: which lines are done, and which may have been begun by a
// run that was killed. Kept on disk by BatchLog, at most every five seconds and before lines are begun.
#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/batch_log.h"
#include "core/base/clock.h"

namespace arkvory::cli {

class ListProgress {
 public:
  // Without a log nothing is kept.
  ListProgress(std::optional<BatchLog> log, const Clock& clock, std::optional<BatchRecord> earlier);

  // By earlier runs.
  bool was_done(std::uint64_t line) const { return contains(record_.done, line); }
  bool may_be_elsewhere(std::uint64_t line) const { return contains(record_.elsewhere, line); }
  // A run that was killed may have begun it, and its target was absent before.
  bool may_be_ours(std::uint64_t line) const { return contains(record_.open, line); }

  // The line is about to begin. `is_absent`: nothing stands under its target's name, so that what appears there is
  // ours.
  void open(std::uint64_t line, bool is_absent);
  void done(std::uint64_t line, bool is_elsewhere = false);
  void failed(std::uint64_t line);
  // It failed, and what it holds stays: `resume` may finish it as well.
  void unfinished(std::uint64_t line);
  // The text read so far.
  void read_to(std::uint64_t length, std::uint64_t digest);

  // Everything is on disk before a line begins. Fault::local where it can't be written.
  Result<void> keep_before_beginning();
  // What ended well is on disk within a while.
  Result<void> keep_now_and_then();
  // Nothing runs any more. A batch that is over needs no record.
  Result<void> end(bool is_over);

  // Too many lines have failed among others that ended well: some of these will not be known as done.
  bool is_scattered() const { return is_scattered_; }

 private:
  static bool contains(const IntervalSet& set, std::uint64_t line) { return set.contains(ByteRange(line, line + 1)); }
  bool add(IntervalSet& set, std::uint64_t line);
  Result<void> keep();

  std::optional<BatchLog> log_;
  const Clock& clock_;
  BatchRecord record_;
  IntervalSet opened_;  // of `record_.open`: by this run, and nothing of them stays
  Instant kept_;
  bool is_new_ = false;        // something is not on disk
  bool must_be_kept_ = false;  // and lines may not begin before it is
  bool is_scattered_ = false;
};

}  // namespace arkvory::cli
