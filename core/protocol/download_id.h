// SPDX-License-Identifier: Apache-2.0
// The id of one download (protocol.md §2): made by the client, 128 random bits, kept in the checkpoint.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

class DownloadId {
 public:
  // 16 to 64 of `A-Za-z0-9_-`; nothing else.
  static std::optional<DownloadId> parse(std::string_view text);
  // base64url without padding of 128 bits: 22 characters.
  static DownloadId from_bits(const std::array<std::byte, 16>& bits);

  const std::string& text() const { return text_; }
  friend bool operator==(const DownloadId&, const DownloadId&) = default;

 private:
  explicit DownloadId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace arkvory
