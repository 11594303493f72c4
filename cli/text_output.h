// SPDX-License-Identifier: Apache-2.0
// Where text goes: a descriptor in the program, a string in tests.
#pragma once

#include <string>
#include <string_view>

namespace arkvory::cli {

class TextOutput {
 public:
  virtual ~TextOutput() = default;
  // Writes all of `text` at once, unbuffered. A failure is kept by the implementation, not told here: a reader that
  // went away must not disturb the call-backs of a transfer.
  virtual void write(std::string_view text) = 0;
};

// A file descriptor that somebody else owns.
class DescriptorOutput final : public TextOutput {
 public:
  explicit DescriptorOutput(int descriptor) : descriptor_(descriptor) {}
  void write(std::string_view text) override;
  // From now on a write that finds no room (a stopped terminal, a pipe that nobody reads) is given up once this
  // descriptor is readable, so that a signal is answered although nobody takes the words. -1: never.
  void give_way_to(int watched_descriptor) { watched_ = watched_descriptor; }
  // The errno of the first write that failed, after which nothing more is written; 0 for none.
  int failure() const { return failure_; }

 private:
  bool wait_for_room();

  int descriptor_;
  int watched_ = -1;
  int failure_ = 0;
};

}  // namespace arkvory::cli
