// SPDX-License-Identifier: Apache-2.0
// The download programs of Debian, which know nothing of queues, as a test runs them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace arkvory::test {

struct Stranger {
  // Whether it is told to come back where it was turned away. Not told, some of them do so all the same.
  enum class Kind { plain, patient };

  // What downloads `url` to `file` below the current folder, without any settings of the machine or its user.
  using Command = std::vector<std::string> (*)(Kind kind, const std::string& url, const std::string& file);

  const char* program;
  const char* package;  // of Debian
  Command command;
};

// curl, wget, aria2, lftp and apt's own; each of them has to be installed, for what is not tried is not known.
const std::vector<Stranger>& strangers();

// One of them at work in a folder of its own.
class StrangerAtWork {
 public:
  // `more`: options of this program.
  StrangerAtWork(const Stranger& stranger, Stranger::Kind kind, const std::string& url,
                 const std::filesystem::path& folder, const std::vector<std::string>& more = {});

  // Waits for its end and checks that it is a good one, with these bytes.
  void check_success(std::span<const std::byte> bytes);
  // Waits for its end.
  int exit_code();

 private:
  const char* program_;
  std::filesystem::path file_;
  Process process_;
};

}  // namespace arkvory::test
