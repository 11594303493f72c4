// SPDX-License-Identifier: Apache-2.0
// Lines to a file or to stderr, written by a thread of its own: a full disk or a pipe that nobody reads must not hold
// the I/O thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace arkvory::server {

// Each line is handed to the system as soon as it can be, whole. At most kMostLines wait; more are lost, and the number
// lost is said in a line of its own as soon as there is room.
class LineWriter {
 public:
  static constexpr std::size_t kMostLines = 8192;

  // Appends to the file, making it 0640 where there is none. Fault::local.
  static Result<std::unique_ptr<LineWriter>> open(const std::filesystem::path& path);
  // Takes the descriptor; `is_owner`: closes it at the end.
  LineWriter(int descriptor, bool is_owner);
  ~LineWriter();  // gives the last lines a second
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // A line without its end. Never waits.
  void write(std::string line);
  // Waits until all lines are written, at most so long. False where some still wait.
  bool flush(Duration most);

 private:
  struct State;
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  // shared with the thread, which is left alone where it hangs
  std::thread thread_;
};

}  // namespace arkvory::server
