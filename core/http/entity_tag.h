// SPDX-License-Identifier: Apache-2.0
// Entity tags (RFC 9110 §8.8.3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arkvory {

// A strong entity tag, quotes included. If-Range takes nothing else, so that a weak one can't be sent there.
class StrongTag {
 public:
  // Nothing where the text is weak (`W/"…"`), unquoted or malformed.
  static std::optional<StrongTag> parse(std::string_view text);

  const std::string& text() const { return text_; }  // as sent, with quotes
  friend bool operator==(const StrongTag&, const StrongTag&) = default;

 private:
  explicit StrongTag(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace arkvory
