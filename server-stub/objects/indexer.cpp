// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/indexer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/size.h"

namespace arkvory::server {
namespace {

constexpr std::size_t kPiece = kMiB;
// A file younger than this may still get a write that leaves its times as they are (file_identity.h).
constexpr Duration kSettled = std::chrono::milliseconds(20);
constexpr int kScanShare = 20;
constexpr int kAttempts = 3;

// Digests come after bytes: the thread takes what the senders leave of the processor.
void yield_to_others() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10); }

}  // namespace

Indexer::Indexer(FileTree& tree, DigestIndex& index, const Clock& clock, IndexerSettings settings)
    : tree_(tree), index_(index), clock_(clock), settings_(settings), piece_(kPiece), thread_([this] { run(); }) {}

Indexer::~Indexer() {
  finish(Duration::zero());
  thread_.join();
}

void Indexer::want(const RelativePath& path) {
  const std::lock_guard lock(mutex_);
  if (wanted_.size() >= kMostWanted) return;
  if (std::find(wanted_.begin(), wanted_.end(), path) != wanted_.end()) return;
  wanted_.push_back(path);
  changed_.notify_all();
}

void Indexer::look_again() {
  const std::lock_guard lock(mutex_);
  look_again_ = true;
  changed_.notify_all();
}

bool Indexer::finish(Duration most) {
  std::unique_lock lock(mutex_);
  is_stopping_.store(true, std::memory_order_release);
  changed_.notify_all();
  return changed_.wait_for(lock, most, [this] { return has_ended_; });
}

void Indexer::run() {
  yield_to_others();
  for (;;) {
    const auto begun = clock_.now();
    scan();
    if (is_stopping() || !pause_before_next_scan(clock_.now() - begun)) break;
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

// False where it is time to stop.
bool Indexer::pause_before_next_scan(Duration last_scan) {
  const auto ended = clock_.now();
  const auto soonest = ended + std::max(settings_.rescan_gap, last_scan * kScanShare);
  const auto latest = std::max(soonest, ended + settings_.rescan_every);
  for (;;) {
    hash_wanted();
    std::unique_lock lock(mutex_);
    if (is_stopping()) return false;
    if (!wanted_.empty()) continue;
    const auto due = look_again_ ? soonest : latest;
    const auto left = due - clock_.now();
    if (left <= Duration::zero()) {
      look_again_ = false;
      return true;
    }
    changed_.wait_for(lock, left);
  }
}

void Indexer::scan() {
  index_.begin_scan();
  std::vector<RelativePath> folders{RelativePath()};
  while (!folders.empty()) {
    hash_wanted();
    const auto path = std::move(folders.back());
    folders.pop_back();
    auto found = tree_.open(path);
    const auto* folder = found ? std::get_if<Folder>(&*found) : nullptr;
    if (folder == nullptr) continue;
    for (const auto& entry : folder->entries) {
      if (is_stopping()) return;
      if (entry.is_symlink) continue;  // what it leads to has a path of its own
      const auto child = path.child(entry.name);
      if (entry.kind == EntryKind::folder) folders.push_back(child);
      if (entry.kind == EntryKind::folder || index_.confirm(child, entry.identity)) continue;
      is_complete_.store(false, std::memory_order_release);
      hash(child, Urgency::background);
    }
  }
  if (is_stopping()) return;
  index_.end_scan();
  is_complete_.store(true, std::memory_order_release);
}

void Indexer::hash_wanted() {
  for (;;) {
    RelativePath path;
    {
      const std::lock_guard lock(mutex_);
      if (wanted_.empty() || is_stopping()) return;
      path = std::move(wanted_.front());
      wanted_.pop_front();
    }
    hash(path, Urgency::wanted);
  }
}

// A file that is being written all the time is left to a later scan.
void Indexer::hash(const RelativePath& path, Urgency urgency) {
  for (int attempt = 0; attempt < kAttempts && !is_stopping(); ++attempt) {
    auto found = tree_.open(path);
    auto* file = found ? std::get_if<std::shared_ptr<ObjectFile>>(&*found) : nullptr;
    if (file == nullptr || index_.confirm(path, (*file)->identity())) return;
    if (is_settled((*file)->identity())) return hash_open_file(path, **file, urgency);
    let_settle();
  }
}

bool Indexer::is_settled(const FileIdentity& identity) const {
  const auto age = clock_.wall_now() - WallTime(Duration(identity.changed_ns));
  return age < Duration::zero() || age >= kSettled;
}

void Indexer::let_settle() {
  const auto due = clock_.now() + kSettled;
  std::unique_lock lock(mutex_);
  for (auto left = kSettled; left > Duration::zero() && !is_stopping(); left = due - clock_.now())
    changed_.wait_for(lock, left);
}

// A file that changes or can't be read meanwhile is left to the next scan.
void Indexer::hash_open_file(const RelativePath& path, ObjectFile& file, Urgency urgency) {
  const auto& identity = file.identity();
  Sha256 sum;
  for (std::uint64_t at = 0; at < identity.size;) {
    if (is_stopping()) return;
    // Nested once at most: wanted files are not interrupted. They use the same piece of memory, between two reads.
    if (urgency == Urgency::background) hash_wanted();
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, identity.size - at));
    const auto into = std::span(piece_).first(length);
    if (!file.read(at, into)) return;
    sum.update(into);
    at += length;
  }
  index_.record(path, identity, sum.finish());
}

}  // namespace arkvory::server
