// SPDX-License-Identifier: Apache-2.0
// Reads a text of fixed shape from left to right. The first thing that does not fit makes the whole reading fail, so
// that a parser is a flat list of what it expects and one question at the end.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace arkvory {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  // The next character, or NUL at the end.
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool peek_digit() const { return peek() >= '0' && peek() <= '9'; }
  std::string_view rest() const { return rest_; }

  // Takes `c` where it is next, and tells whether it was.
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(std::string_view literal) {
    if (!rest_.starts_with(literal)) return give_up();
    rest_.remove_prefix(literal.size());
  }

  // Exactly `count` decimal digits, at most nine of them.
  int digits(std::size_t count) {
    int number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!peek_digit()) {
        give_up();
        return 0;
      }
      number = number * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

  // One of `names`; returns its place in the list, from 0.
  std::size_t one_of(std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!rest_.starts_with(names[i])) continue;
      rest_.remove_prefix(names[i].size());
      return i;
    }
    give_up();
    return 0;
  }

  void give_up() {
    failed_ = true;
    rest_ = {};
  }

  // Everything fitted and nothing is left.
  bool finished() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace arkvory
