// SPDX-License-Identifier: Apache-2.0
// A queue ticket as the client sees it (protocol.md §4): an opaque text, sent back unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

class Ticket {
 public:
  static constexpr std::size_t kLongest = 128;

  // 1 to 128 visible ASCII characters. Anything else is no ticket.
  static std::optional<Ticket> parse(std::string_view text) {
    if (text.empty() || text.size() > kLongest) return std::nullopt;
    for (const char c : text)
      if (c <= ' ' || c >= 0x7F) return std::nullopt;
    return Ticket(std::string(text));
  }

  const std::string& text() const { return text_; }
  friend bool operator==(const Ticket&, const Ticket&) = default;

 private:
  explicit Ticket(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace arkvory
