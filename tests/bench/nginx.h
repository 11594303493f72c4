// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/process.h"

namespace arkvory::bench {

// Debian's nginx as an origin that nobody tuned for us: its own configuration and files in one folder, a free port, no
// daemon, and one process, so that the kernel ends all of it with this program.
class Nginx {
 public:
  // Starts it on `folder`, the files of which it serves from the top. Ends the program with words where it can't.
  Nginx(const std::string& program, const std::filesystem::path& folder, std::string address = "127.0.0.1");
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  // The URL of a file in the folder.
  std::string url(const std::string& name) const;
  std::uint16_t port() const { return port_; }
  pid_t pid() const { return process_->pid(); }

 private:
  std::string address_;
  std::uint16_t port_ = 0;
  std::unique_ptr<test::Process> process_;
};

}  // namespace arkvory::bench
