// SPDX-License-Identifier: Apache-2.0
// JSON that people write - scenarios, overrides - read strictly: each value knows its place, so that what is wrong with
// it is named by a JSON Pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace arkvory::server {

// What is wrong, and where. Thrown while a document is read, and goes no further than who began to read it.
struct Wrong {
  std::string pointer;  // empty: the document
  std::string words;    // go on after the pointer: `takes a size such as "40MB", not 7`

  // One line.
  std::string text() const { return (pointer.empty() ? "it" : pointer + ":") + " " + words; }
};

// UTF-8 without a key given twice and nested at most eight deep; otherwise throws Wrong.
nlohmann::json read_json(std::string_view text);

// A value with the pointer to it. What throws, throws Wrong.
struct Part {
  const nlohmann::json& json;
  std::string pointer;

  // `takes` goes on after "takes".
  [[noreturn]] void refuse(std::string_view takes) const;

  Part at(const std::string& key) const;
  Part at(std::size_t index) const;
  bool has(const std::string& key) const;

  void needs_object() const;
  void only_has(std::span<const std::string_view> keys) const;

  const std::string& text(std::string_view takes) const;
  // One that can be shown on a line.
  const std::string& name(std::string_view what, std::size_t longest) const;
};

template <typename Value>
Value take(const Part& part, std::optional<Value> (*parse)(std::string_view), std::string_view takes) {
  const auto value = parse(part.text(takes));
  if (!value) part.refuse(takes);
  return *value;
}

std::uint64_t take_number(const Part& part, std::uint64_t least, std::uint64_t most);

}  // namespace arkvory::server
