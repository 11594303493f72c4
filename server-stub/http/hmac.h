// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA-256 (RFC 2104), and comparing what it gives.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace arkvory::server {

std::array<std::byte, 32> hmac_sha256(std::span<const std::byte> key, std::string_view text);

// The time it takes tells the lengths only, not where the texts differ.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace arkvory::server
