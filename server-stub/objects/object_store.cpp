// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/object_store.h"

#include <functional>

#include "server-stub/objects/late_file.h"

namespace arkvory::server {
namespace {

// How long a changed file may be taken for what it was by those who wait.
constexpr Duration kLately = std::chrono::seconds(1);

}  // namespace

Result<FoundObject> ObjectStore::open(const RelativePath& path) {
  auto found = tree_.open(path);
  if (!found) return pass_on(found.error());
  return wanted(path, std::move(*found));
}

std::optional<Result<FoundObject>> ObjectStore::open_cached(const RelativePath& path, Instant now) {
  auto found = tree_.open_cached(path);
  if (!found) return std::nullopt;
  if (!*found) return Result<FoundObject>(pass_on(found->error()));
  if (const auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&**found))
    lately_[place_of(path)] = Lately{path, now, std::make_shared<LateFile>(tree_, path, (*file)->identity())};
  return Result<FoundObject>(wanted(path, std::move(**found)));
}

std::shared_ptr<ObjectFile> ObjectStore::found_lately(const RelativePath& path, Instant now) const {
  const auto& known = lately_[place_of(path)];
  return known && known->path == path && now - known->at <= kLately ? known->file : nullptr;
}

std::size_t ObjectStore::place_of(const RelativePath& path) const {
  return std::hash<std::string>()(path.text()) % lately_.size();
}

FoundObject ObjectStore::wanted(const RelativePath& path, Found found) {
  if (auto* folder = std::get_if<Folder>(&found)) return std::move(*folder);
  const auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&found);
  if (file == nullptr) return Absent{};
  if (!index_.digest_of((*file)->identity())) indexer_.want(path);
  return *file;
}

Result<FoundObject> ObjectStore::open(const Sha256Digest& digest) {
  // Asked before the index: a file that is recorded in between is then found in it.
  const bool was_complete = indexer_.is_complete();
  bool has_changed = false;
  for (const auto& place : index_.places_of(digest)) {
    auto found = tree_.open(place.path);
    if (!found) return pass_on(found.error());
    const auto* file = std::get_if<std::shared_ptr<ObjectFile>>(&*found);
    if (file != nullptr && (*file)->identity() == place.identity) return FoundObject(*file);
    if (file == nullptr) continue;
    has_changed = true;
    indexer_.want(place.path);
  }
  if (!was_complete || has_changed) return FoundObject(StillIndexing{});
  indexer_.look_again();
  return FoundObject(Absent{});
}

}  // namespace arkvory::server
