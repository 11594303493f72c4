// SPDX-License-Identifier: Apache-2.0
// The lines of a text that may be endless, one at a time, in bounded memory and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/digest.h"
#include "core/base/result.h"

namespace arkvory::cli {

class LineReader {
 public:
  // Reads a descriptor that somebody else owns, from where it stands. `may_wait`: a read from it may have to wait for
  // bytes (a pipe, a terminal); it is then asked first whether there are any.
  LineReader(int descriptor, bool may_wait, std::size_t longest);

  enum class Kind { line, too_long, later, end };
  struct Line {
    Kind kind = Kind::end;
    std::string_view text{};   // without its end (LF or CRLF); valid until the next call. Cut where it is too long
    std::uint64_t number = 0;  // from 1
  };
  // The next line. The last one needs no end; a byte order mark at the beginning is no part of the first. Fault::local
  // where the text can't be read.
  Result<Line> next();

  // What was read to the end of the last line given: its length and XXH3.
  std::uint64_t length() const { return length_; }
  std::uint64_t digest() const { return digest_.value(); }
  // How many lines were given.
  std::uint64_t lines() const { return lines_; }

 private:
  enum class More { read, later, end };
  Result<More> read_more();
  Line give(std::size_t size, std::size_t end_size);
  void drop(std::size_t size);

  int descriptor_;
  bool may_wait_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what is not given yet
  std::size_t scanned_ = 0;  // no line end before it
  std::size_t end_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t lines_ = 0;
  Xxh3 digest_;
  bool cut_ = false;  // the beginning of a line that is too long was dropped
};

}  // namespace arkvory::cli
