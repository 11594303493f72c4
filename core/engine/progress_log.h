// SPDX-License-Identifier: Apache-2.0
// The ports through which a download keeps its state: what must outlive the process, and where.
//
// `core` states the need; `checkpoint` fulfils it on disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file_system.h"
#include "core/base/interval_set.h"
#include "core/base/result.h"
#include "core/engine/block_digests.h"
#include "core/engine/job.h"
#include "core/engine/remote_object.h"
#include "core/engine/synced_ranges.h"
#include "core/protocol/download_id.h"
#include "core/protocol/ticket.h"

namespace arkvory {

// A ticket and when it came: it is good for 15 minutes (protocol.md §4).
struct HeldTicket {
  Ticket ticket;
  WallTime received;
  friend bool operator==(const HeldTicket&, const HeldTicket&) = default;
};

// The place in a server's queue as its last answer told it.
struct QueuePlace {
  std::optional<std::uint64_t> position{};  // 1 is next
  std::optional<WallTime> starts_at{};
  friend bool operator==(const QueuePlace&, const QueuePlace&) = default;
};

// Everything about one download that must outlive the process, except which bytes are held.
struct DownloadFacts {
  DownloadId id;
  Url url;  // the first URL; its userinfo is never written
  Shape shape{};
  unsigned generation = 1;  // which part file: 1, 2 or 3
  std::optional<RemoteObject> object{};
  std::optional<HeldTicket> ticket{};
  Duration waited{0};                 // spent of --wait-limit, over all runs
  std::optional<QueuePlace> place{};  // while it stands in a queue
  bool is_arkvory = false;            // the first origin's newest answer but refusals had a header of ours
  // The target's name is a guess: empty until an answer names it, then the name under which it is to go on.
  std::optional<std::string> guess{};
  std::string last_error{};  // why the last run ended, for `list`; empty while it runs
};

// What an earlier run left. `claimed` is what the checkpoint says; only PartFile turns it into SyncedRanges.
struct SavedProgress {
  DownloadFacts facts;
  IntervalSet claimed{};
  BlockDigests blocks{};
};

// The state of one download on disk. Every call that succeeds is durable when it returns.
class ProgressLog {
 public:
  virtual ~ProgressLog() = default;
  // What an earlier run left, or nothing. Fault::state where it is damaged (then it has been set aside, and a second
  // call finds nothing) or newer than this program (then it is untouched, and every call fails so).
  virtual Result<std::optional<SavedProgress>> restore() = 0;
  // Replaces the record. Takes only ranges that are on disk: data before state.
  virtual Result<void> record(const DownloadFacts& facts, const SyncedRanges& held) = 0;
  // Removes the record, durably: the download is over or given up.
  virtual Result<void> forget() = 0;
};

// A target that this process alone works on, for as long as this value lives.
struct Place {
  std::filesystem::path target;  // absolute
  std::shared_ptr<File> part;    // the first generation's part file, which carries the lock
  std::unique_ptr<ProgressLog> log;
  std::vector<std::string> notes{};  // what the user should know, such as a lock taken over
};

class Workspace {
 public:
  virtual ~Workspace() = default;
  // Claims a target. Fault::locked where another process works on it, its pid named where known; Fault::local where
  // the folder can't be written. A part file made by the claim is removed again with the Place where nothing was
  // written to it.
  virtual Result<Place> claim(const std::filesystem::path& target) = 0;
};

}  // namespace arkvory
