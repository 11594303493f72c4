// SPDX-License-Identifier: Apache-2.0
// Base 64 (RFC 4648 §4 and §5).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arkvory {

// The common alphabet, padded.
std::string to_base64(std::span<const std::byte> bytes);
// The alphabet for URLs and file names, without padding.
std::string to_base64url(std::span<const std::byte> bytes);

// The common alphabet. As RFC 8941 §4.2.7 asks of its byte sequences, missing padding and bits left over are no error;
// padding elsewhere than at the end, other characters or an impossible length are.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace arkvory
