// SPDX-License-Identifier: Apache-2.0
// JSON that a person wrote as a file for a program of ours: what is wrong with it is told by the JSON Pointer of the
// place and what would be right there. For the parsers of whole files; a JsonFault goes no further than these.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace arkvory {

// What is wrong, and where.
struct JsonFault {
  std::string pointer;
  std::string words;

  // `/clients/0/size: takes a size`; of the whole file `it is not JSON`.
  std::string line() const;
};

// Throws JsonFault where the text is not UTF-8, not JSON, nested more than eight deep, or gives a key twice.
nlohmann::json parse_written_json(std::string_view text);

// A value with the pointer to it. Whatever is asked for and not there, or not as it is wanted, is thrown as JsonFault.
struct JsonPart {
  const nlohmann::json& json;
  std::string pointer;

  // `takes …, not …`, with the value that is there.
  [[noreturn]] void refuse(std::string_view takes) const;

  void needs_object() const;
  // Of an object.
  void only_has(std::span<const std::string_view> keys) const;
  bool has(std::string_view key) const;
  JsonPart at(std::string_view key) const;
  JsonPart needed(std::string_view key, std::string_view what) const;  // `is needed, …` where it is not there
  // Of an array.
  JsonPart at(std::size_t index) const;

  const std::string& text(std::string_view takes) const;
  // One that can be shown on a line.
  const std::string& name(std::string_view what, std::size_t longest) const;
  std::uint64_t number(std::uint64_t least, std::uint64_t most) const;
  bool truth() const;
  std::uint64_t size(std::uint64_t least) const;  // `"40MB"` or a number of bytes, up to 2^60
  std::uint64_t rate() const;                     // `"40MB/s"`, above 0
  Duration time() const;                          // `"10.5s"`, within fifty years
};

// Three times as long as this, from the year 2100 on, is less than a WallTime holds.
inline constexpr Duration kLongestWrittenTime = std::chrono::hours(24 * 366 * 50);
inline constexpr std::uint64_t kMostWrittenBytes = std::uint64_t{1} << 60U;

// Text that `parse` understands.
template <typename Value>
Value read_written(const JsonPart& part, std::optional<Value> (*parse)(std::string_view), std::string_view takes) {
  const auto value = parse(part.text(takes));
  if (!value) part.refuse(takes);
  return *value;
}

}  // namespace arkvory
