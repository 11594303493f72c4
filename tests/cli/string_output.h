// SPDX-License-Identifier: Apache-2.0
// Outputs that keep what is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace arkvory::test {

class StringOutput final : public cli::TextOutput {
 public:
  void write(std::string_view more) override { text += more; }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const auto end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  std::string text;
};

// A terminal of which only the last writing is of interest.
class FakeTerminal final : public cli::Terminal {
 public:
  void write(std::string_view text) override {
    last = text;
    all += text;
    ++writings;
  }
  cli::ScreenSize size() const override { return screen; }
  bool in_foreground() const override { return foreground; }

  cli::ScreenSize screen{};
  bool foreground = true;
  std::string last;
  std::string all;
  unsigned writings = 0;
};

}  // namespace arkvory::test
