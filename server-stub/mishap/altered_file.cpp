// SPDX-License-Identifier: Apache-2.0
#include "server-stub/mishap/altered_file.h"

#include <chrono>
#include <utility>

namespace arkvory::server {

std::optional<Result<std::size_t>> AlteredFile::read_cached(std::uint64_t offset, std::span<std::byte> into) {
  auto count = file_->read_cached(offset, into);
  if (count && *count) flip(offset, into.first(**count));
  return count;
}

Result<void> AlteredFile::read(std::uint64_t offset, std::span<std::byte> into) {
  auto outcome = file_->read(offset, into);
  if (outcome) flip(offset, into);
  return outcome;
}

void AlteredFile::flip(std::uint64_t offset, std::span<std::byte> bytes) const {
  const auto range = ByteRange::make(offset, offset + bytes.size());
  const auto hit = range && flipped_ ? range->intersection(*flipped_) : std::nullopt;
  if (!hit) return;
  for (auto& byte : bytes.subspan(hit->begin() - offset, hit->length())) byte = ~byte;
}

std::shared_ptr<ObjectFile> corrupted(std::shared_ptr<ObjectFile> file, std::uint64_t at) {
  const auto identity = file->identity();
  return std::make_shared<AlteredFile>(std::move(file), identity, ByteRange(at, at + 1));
}

// Not a newer one: a Last-Modified later than now is cut to now, so that it might be what it was.
std::shared_ptr<ObjectFile> replaced(std::shared_ptr<ObjectFile> file, bool has_same_bytes) {
  auto identity = file->identity();
  constexpr auto kDay = std::chrono::nanoseconds(std::chrono::hours(24)).count();
  identity.modified_ns += identity.modified_ns > kDay ? -kDay : kDay;
  identity.changed_ns = ~identity.changed_ns;
  const auto all = ByteRange::make(0, identity.size);
  return std::make_shared<AlteredFile>(std::move(file), identity, has_same_bytes ? std::nullopt : all);
}

}  // namespace arkvory::server
