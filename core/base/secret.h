// SPDX-License-Identifier: Apache-2.0
// Text that must not be printed. It has no formatter and no `<<`; the one way out is `reveal`, to be called where the
// request is built and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace arkvory {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  std::string_view reveal() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  std::string text_;
};

}  // namespace arkvory
