// SPDX-License-Identifier: Apache-2.0
// The background thread that finds out digests: of every file under the root, and first of those that were asked for.
//
// Queues: files asked for, at most kMostWanted (more are left to the scan); folders of one scan still to be walked.
// Memory for reading: one piece of 1 MiB.
//
// How new and changed files are noticed: the tree is scanned again `rescan_every` after the end of the last scan, or
// sooner after a digest was asked for in vain; a scan asks for each file's times and reads only what it doesn't know.
// So that scans take at most a twentieth of the time, a slow one is followed by a pause of 20 times its length.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "server-stub/objects/digest_index.h"
#include "server-stub/objects/file_tree.h"

namespace arkvory::server {

struct IndexerSettings {
  Duration rescan_every = std::chrono::seconds(10);
  Duration rescan_gap = std::chrono::seconds(1);  // the least pause before a scan that was asked for
};

class Indexer {
 public:
  static constexpr std::size_t kMostWanted = 1024;

  // Starts at once.
  Indexer(FileTree& tree, DigestIndex& index, const Clock& clock, IndexerSettings settings = {});
  ~Indexer();  // waits for the read that is under way
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  // Finds out this file's digest before all else.
  void want(const RelativePath& path);
  // A digest was asked for that no file has: looks for new files soon.
  void look_again();
  // Every file that was found so far has its digest in the index; false from the start to the end of the first scan,
  // and from the moment a later one meets an unknown file to that scan's end.
  bool is_complete() const { return is_complete_.load(std::memory_order_acquire); }
  // Stops after the piece being read and waits for that, at most so long. False where the thread still runs.
  bool finish(Duration most);

 private:
  void run();
  void scan();
  void hash_wanted();
  enum class Urgency { background, wanted };
  void hash(const RelativePath& path, Urgency urgency);
  void hash_open_file(const RelativePath& path, ObjectFile& file, Urgency urgency);
  bool is_settled(const FileIdentity& identity) const;
  void let_settle();
  bool pause_before_next_scan(Duration last_scan);
  bool is_stopping() const { return is_stopping_.load(std::memory_order_acquire); }

  FileTree& tree_;
  DigestIndex& index_;
  const Clock& clock_;
  const IndexerSettings settings_;
  std::vector<std::byte> piece_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RelativePath> wanted_;
  bool look_again_ = false;
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_complete_{false};
  bool has_ended_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace arkvory::server
