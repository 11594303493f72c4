// SPDX-License-Identifier: Apache-2.0
// The terminal, and what the environment says about colour and motion.
#pragma once

#include <cstddef>

#include "cli/environment.h"
#include "cli/text_output.h"

namespace arkvory::cli {

struct ScreenSize {
  std::size_t columns = 80;  // at least 20
  std::size_t lines = 24;
};

class Terminal : public TextOutput {
 public:
  // As it is now: asked at each drawing, so that a resized window is noticed.
  virtual ScreenSize size() const = 0;
  // This process may draw: false for a job in the background, whose lines would disturb what stands in front.
  virtual bool in_foreground() const = 0;
};

// The terminal behind a descriptor that somebody else owns.
class DescriptorTerminal final : public Terminal {
 public:
  // `columns`: the variable COLUMNS, used where the terminal doesn't tell its width; 0 for none.
  DescriptorTerminal(int descriptor, std::size_t columns)
      : descriptor_(descriptor), output_(descriptor), columns_(columns) {}
  void write(std::string_view text) override { output_.write(text); }
  void give_way_to(int watched_descriptor) { output_.give_way_to(watched_descriptor); }
  ScreenSize size() const override;
  bool in_foreground() const override;

 private:
  int descriptor_;
  DescriptorOutput output_;
  std::size_t columns_;
};

bool is_terminal(int descriptor);

enum class ColorChoice { automatic, always, never };

// --color, then NO_COLOR, CLICOLOR_FORCE, CLICOLOR=0, TERM=dumb, then whether it is a terminal.
bool uses_color(ColorChoice choice, const Environment& environment, bool terminal);

// A line may be redrawn: a terminal that isn't `dumb`.
bool can_redraw(const Environment& environment, bool terminal);

}  // namespace arkvory::cli
