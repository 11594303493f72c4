// SPDX-License-Identifier: Apache-2.0
// What a download session is known by (S1): its principal, its object and the client's id, or the client's address
// where there is none. Kept as a hash, so that its length is the same whatever a client sends; tickets are bound to it
// (protocol.md §4).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string_view>

#include "core/protocol/download_id.h"

namespace arkvory::server {

struct SessionKey {
  std::array<std::byte, 32> bytes{};
  friend auto operator<=>(const SessionKey&, const SessionKey&) = default;
};

// SHA-256 over the parts, each behind its length; `object` is the canonical name, such as `path:folder/file`. An id and
// an address never give the same key, whatever their texts.
SessionKey session_key(std::string_view principal, std::string_view object, const DownloadId& id);
// `address` as text, IPv6 already cut to its /64.
SessionKey session_key_for_address(std::string_view principal, std::string_view object, std::string_view address);

}  // namespace arkvory::server
