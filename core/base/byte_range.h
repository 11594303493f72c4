// SPDX-License-Identifier: Apache-2.0
// A range of bytes of one object: half-open, never empty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/ensure.h"

namespace arkvory {

class ByteRange {
 public:
  // [begin, end). Requires begin < end; for numbers from outside use `make`.
  ByteRange(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {
    ensure(begin < end, "a byte range is never empty");
  }

  // [begin, end), or nothing where that would be empty.
  static std::optional<ByteRange> make(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return std::nullopt;
    return ByteRange(begin, end);
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }  // one past the last byte
  std::uint64_t length() const { return end_ - begin_; }
  bool contains(const ByteRange& other) const { return begin_ <= other.begin_ && other.end_ <= end_; }

  std::optional<ByteRange> intersection(const ByteRange& other) const {
    return make(std::max(begin_, other.begin_), std::min(end_, other.end_));
  }

  // The value of a Range header, `bytes=first-last`, both inclusive (RFC 9110 §14.1.2). The only place that makes it.
  std::string to_header() const { return "bytes=" + std::to_string(begin_) + "-" + std::to_string(end_ - 1); }

  friend bool operator==(const ByteRange&, const ByteRange&) = default;

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
};

}  // namespace arkvory
