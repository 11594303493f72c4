// SPDX-License-Identifier: Apache-2.0
// The real arkvory-stub as a child of a test.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/size.h"
#include "tests/server/raw_client.h"
#include "tests/support/process.h"

namespace arkvory::test {

struct Stub {
  explicit Stub(const std::filesystem::path& root, const std::vector<std::string>& extra = {})
      : process(arguments(root, extra)) {
    line = process.read_line(std::chrono::seconds(60)).value_or("");
    REQUIRE((line.starts_with("listening http://127.0.0.1:") || line.starts_with("listening https://127.0.0.1:")));
    is_secure = line.starts_with("listening https:");
    port = static_cast<std::uint16_t>(parse_number(line.substr(line.rfind(':') + 1)).value_or(0));
  }

  // SIGTERM; the exit status, or -1 where it doesn't end.
  int stop() {
    process.kill(SIGTERM);
    const auto end = process.wait();
    return end ? end->exit_code : -1;
  }

  // One request on a connection of its own.
  Reply ask(std::string_view method, std::string_view target, std::string_view headers = {}) const;
  // A number that `/readyz` tells, such as `waiting`.
  std::uint64_t ready(const char* name) const;
  // Whether it becomes so within the patience; asks again and again, each question waiting for its answer.
  bool comes_to(const char* name, std::uint64_t wanted, Duration patience = std::chrono::seconds(60)) const;
  // Seats, places and held requests all came back.
  bool comes_to_rest() const { return comes_to("active", 0) && comes_to("held", 0) && comes_to("waiting", 0); }

  static std::vector<std::string> arguments(const std::filesystem::path& root, const std::vector<std::string>& extra) {
    std::vector<std::string> all{ARKVORY_STUB, "serve", "--root", root.string()};
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
  }

  Process process;
  std::string line;
  bool is_secure = false;
  std::uint16_t port = 0;
};

}  // namespace arkvory::test
