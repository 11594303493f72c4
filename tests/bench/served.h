// SPDX-License-Identifier: Apache-2.0
// The real arkvory-stub as the bench of the server runs it, and connections to it that cost next to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "tests/support/process.h"

namespace arkvory::bench {

// Ends the program with words where it does not start.
class Served {
 public:
  Served(const std::string& server, const std::filesystem::path& root, const std::vector<std::string>& options);

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return process_.pid(); }
  // What `/readyz` tells of `name`, such as `waiting`.
  std::uint64_t ready(const std::string& name) const;

 private:
  test::Process process_;
  std::uint16_t port_ = 0;
};

// As many open files as this machine gives; how many those are.
std::uint64_t raise_file_limit();

// A connection, of this machine where no address is named. It blocks; ends the program with words where there is none.
Descriptor connect_to(std::uint16_t port, const std::string& address = "127.0.0.1");
void send_all(const Descriptor& socket, std::string_view text);

// The status of the answer in `text` once its head and body are whole, which are then taken away.
std::optional<int> take_answer(std::string& text);

}  // namespace arkvory::bench
