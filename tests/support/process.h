// SPDX-License-Identifier: Apache-2.0
// A program started by a test, with its output read and its end awaited by deadlines. It never outlives the test: the
// kernel kills it when the thread that started it ends, however that happens.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arkvory::test {

struct ProcessOptions {
  // Added to or changed in our own environment; without a value: taken out.
  std::map<std::string, std::optional<std::string>> environment{};
  std::filesystem::path folder{};                      // empty: ours
  std::string input{};                                 // what the program reads from stdin
  std::optional<std::filesystem::path> output_file{};  // stdout goes there instead of into a pipe; likewise stderr
  std::optional<std::filesystem::path> error_file{};
};

struct ProcessEnd {
  int exit_code = -1;               // -1 where a signal ended it
  int signal = 0;                   // 0 where it exited
  std::uint64_t peak_bytes = 0;     // largest resident set
  std::chrono::microseconds cpu{};  // user and system
};

class Process {
 public:
  // Starts `arguments[0]`, looked up in PATH where it has no slash. A program that can't be started ends with 127.
  explicit Process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});
  // Kills it where it still runs, and collects it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const;
  // Sends a signal; nothing where it has been collected.
  void kill(int signal);

  // The next line of stdout or stderr, without its line end. Nothing where none came in time or the program closed it.
  std::optional<std::string> read_line(std::chrono::milliseconds patience);
  std::optional<std::string> read_error_line(std::chrono::milliseconds patience);

  // Waits for the end, reading all output meanwhile. Nothing where it still runs after `patience`.
  std::optional<ProcessEnd> wait(std::chrono::milliseconds patience = std::chrono::minutes(2));

  // All that was read so far from the pipes and not yet taken as a line.
  const std::string& output() const;
  const std::string& error_output() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Starts a program, waits for its end, and tells all. Where it does not end in time it is killed.
struct Finished {
  ProcessEnd end;
  std::string output;
  std::string error_output;
};
Finished run(const std::vector<std::string>& arguments, const ProcessOptions& options = {},
             std::chrono::milliseconds patience = std::chrono::minutes(2));

}  // namespace arkvory::test
