// SPDX-License-Identifier: Apache-2.0
// What each fuzz target gives: libFuzzer, or replay_main.cpp, calls it with one input after another. A property that
// does not hold ends the program by `ensure`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ensure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace arkvory::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Takes one line, without its line feed, from the front of `text`: for targets with more than one input.
inline std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
  return line;
}

}  // namespace arkvory::fuzz
