// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/download_id.h"

#include <algorithm>

#include "core/base/base64.h"

namespace arkvory {

namespace {

bool may_stand_in_id(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::optional<DownloadId> DownloadId::parse(std::string_view text) {
  if (text.size() < 16 || text.size() > 64) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), may_stand_in_id)) return std::nullopt;
  return DownloadId(std::string(text));
}

DownloadId DownloadId::from_bits(const std::array<std::byte, 16>& bits) { return DownloadId(to_base64url(bits)); }

}  // namespace arkvory
