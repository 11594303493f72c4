// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/digest_index.h"

namespace arkvory::server {

std::optional<Sha256Digest> DigestIndex::digest_of(const FileIdentity& identity) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_identity_.find(identity);
  if (known == by_identity_.end()) return std::nullopt;
  return known->second.digest;
}

std::vector<DigestIndex::Place> DigestIndex::places_of(const Sha256Digest& digest) const {
  const std::lock_guard lock(mutex_);
  std::vector<Place> places;
  const auto paths = by_digest_.find(digest.to_hex());
  if (paths == by_digest_.end()) return places;
  for (const auto& [order, path] : paths->second)
    places.push_back({RelativePath::from_text(path), by_path_.at(path).identity});
  return places;
}

void DigestIndex::record(const RelativePath& path, const FileIdentity& identity, const Sha256Digest& digest) {
  const std::lock_guard lock(mutex_);
  put(path.text(), identity, digest);
}

void DigestIndex::begin_scan() {
  const std::lock_guard lock(mutex_);
  ++scan_;
}

bool DigestIndex::confirm(const RelativePath& path, const FileIdentity& identity) {
  const std::lock_guard lock(mutex_);
  const auto entry = by_path_.find(path.text());
  if (entry != by_path_.end() && entry->second.identity == identity) {
    entry->second.scan = scan_;
    return true;
  }
  const auto known = by_identity_.find(identity);  // the same file by another name
  if (known == by_identity_.end()) return false;
  put(path.text(), identity, Sha256Digest(known->second.digest));
  return true;
}

void DigestIndex::end_scan() {
  const std::lock_guard lock(mutex_);
  for (auto entry = by_path_.begin(); entry != by_path_.end();)
    entry = entry->second.scan == scan_ ? std::next(entry) : drop(entry);
}

std::size_t DigestIndex::size() const {
  const std::lock_guard lock(mutex_);
  return by_path_.size();
}

void DigestIndex::put(const std::string& path, const FileIdentity& identity, const Sha256Digest& digest) {
  const auto old = by_path_.find(path);
  auto order = next_order_++;
  if (old != by_path_.end()) {
    if (old->second.digest == digest) order = old->second.order;
    drop(old);
  }
  by_path_.emplace(path, Entry{identity, digest, scan_, order});
  by_identity_.try_emplace(identity, Known{digest, 0}).first->second.paths += 1;
  by_digest_[digest.to_hex()][order] = path;
}

DigestIndex::Entries::iterator DigestIndex::drop(Entries::iterator entry) {
  const auto known = by_identity_.find(entry->second.identity);
  known->second.paths -= 1;
  if (known->second.paths == 0) by_identity_.erase(known);
  const auto paths = by_digest_.find(entry->second.digest.to_hex());
  paths->second.erase(entry->second.order);
  if (paths->second.empty()) by_digest_.erase(paths);
  return by_path_.erase(entry);
}

}  // namespace arkvory::server
