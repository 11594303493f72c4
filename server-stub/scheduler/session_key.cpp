// SPDX-License-Identifier: Apache-2.0
#include "server-stub/scheduler/session_key.h"

#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/base/digest.h"

namespace arkvory::server {
namespace {

// Eight bytes, the highest first: where a part ends does not depend on what is in it.
std::array<std::byte, 8> length_prefix(std::uint64_t length) {
  std::array<std::byte, 8> bytes{};
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at, length >>= 8U) *at = static_cast<std::byte>(length & 255U);
  return bytes;
}

SessionKey key_of(std::initializer_list<std::string_view> parts) {
  Sha256 sum;
  for (const auto part : parts) {
    sum.update(length_prefix(part.size()));
    sum.update(std::as_bytes(std::span(part)));
  }
  return SessionKey{sum.finish().bytes()};
}

}  // namespace

SessionKey session_key(std::string_view principal, std::string_view object, const DownloadId& id) {
  return key_of({principal, object, "id", id.text()});
}

SessionKey session_key_for_address(std::string_view principal, std::string_view object, std::string_view address) {
  return key_of({principal, object, "address", address});
}

}  // namespace arkvory::server
