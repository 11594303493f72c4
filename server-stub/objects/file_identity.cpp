// SPDX-License-Identifier: Apache-2.0
#include "server-stub/objects/file_identity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "core/base/digest.h"
#include "core/base/wide.h"

namespace arkvory::server {
namespace {

__extension__ typedef __int128 SignedWide;

std::int64_t nanoseconds(const timespec& time) {
  const auto exact = static_cast<SignedWide>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  const SignedWide least = std::numeric_limits<std::int64_t>::min();
  const SignedWide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(exact, least, most));
}

std::string digested(const FileIdentity& identity) {
  const std::array<std::uint64_t, 4> parts{identity.size, identity.inode,
                                           static_cast<std::uint64_t>(identity.modified_ns),
                                           static_cast<std::uint64_t>(identity.changed_ns)};
  Sha256 hash;
  hash.update(std::as_bytes(std::span(parts)));
  return '"' + hash.finish().to_hex().substr(0, 32) + '"';
}

}  // namespace

FileIdentity FileIdentity::of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::size_t FileIdentityHash::operator()(const FileIdentity& identity) const noexcept {
  const std::array<std::uint64_t, 5> parts{identity.device, identity.inode, identity.size,
                                           static_cast<std::uint64_t>(identity.modified_ns),
                                           static_cast<std::uint64_t>(identity.changed_ns)};
  return xxh3(std::as_bytes(std::span(parts)));
}

// Those who wait ask for the same few objects again and again.
std::string entity_tag(const FileIdentity& identity) {
  struct Known {
    FileIdentity identity;
    std::string tag;
  };
  thread_local std::array<Known, 16> latest{};
  auto& known = latest[FileIdentityHash()(identity) % latest.size()];
  if (known.tag.empty() || known.identity != identity) known = {identity, digested(identity)};
  return known.tag;
}

WallTime last_modified(const FileIdentity& identity, WallTime now) {
  const WallTime modified{Duration(std::max<std::int64_t>(identity.modified_ns, 0))};
  return std::chrono::floor<std::chrono::seconds>(std::min(modified, now));
}

}  // namespace arkvory::server
