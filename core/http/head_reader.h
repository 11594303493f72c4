// SPDX-License-Identifier: Apache-2.0
// Reads the heads of one answer line by line, and is strict about what others would guess: framing that can't be
// trusted is refused before anybody sees a head.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/http/transport.h"

namespace arkvory {

class HeadReader {
 public:
  // Over all heads of one answer together, so that endless interim answers are bounded too (hostile case C11).
  static constexpr std::size_t bytes_max = 64U * 1024U;
  static constexpr std::size_t fields_max = 500;

  enum class Verdict {
    more,        // the head goes on; also every line after the final head (trailers)
    final_head,  // this line ended the final head: `head` is whole
    malformed,   // refused; `reason` says why
  };

  // One line, with or without its line end. An empty line ends a head. Interim answers (1xx) are forgotten; obsolete
  // folds are joined by a space (RFC 9112 §5.2).
  Verdict line(std::string_view text);

  bool is_complete() const { return state_ == State::complete; }
  const ResponseHead& head() const { return head_; }
  const std::string& reason() const { return reason_; }
  // The answer states its length twice over, by Content-Length and by Transfer-Encoding: its connection can't be
  // trusted with another answer (RFC 9112 §6.3).
  bool has_doubtful_framing() const;

 private:
  enum class State { status_line, fields, complete };

  Verdict refuse(std::string reason);
  Verdict status_line(std::string_view text);
  Verdict field(std::string_view text);
  Verdict fold(std::string_view text);
  Verdict end_of_head();

  State state_ = State::status_line;
  ResponseHead head_;
  std::string name_;  // of the field that a fold may still continue
  std::string value_;
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
  std::string reason_;
};

}  // namespace arkvory
