// SPDX-License-Identifier: Apache-2.0
// What of the server is measured, one file for each work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/figures.h"

namespace arkvory::bench {

struct ServerSetting {
  std::string server{};
  std::string nginx = "/usr/sbin/nginx";
  std::filesystem::path disk = "/var/tmp";  // not in memory, so that the page cache has its part
  std::uint64_t pairs = 5;
  bool is_tiny = false;  // as little as goes through the whole of it
};

// Nothing where a run failed, which has been said. What could not be measured here is a row that tells why.
using ServerWork = std::optional<std::vector<Row>> (*)(const ServerSetting&);

std::optional<std::vector<Row>> send_files(const ServerSetting& setting);     // beside nginx: time, and CPU
std::optional<std::vector<Row>> hold_requests(const ServerSetting& setting);  // memory of each
std::optional<std::vector<Row>> answer_crowd(const ServerSetting& setting);   // CPU at its own rate, latency at more
std::optional<std::vector<Row>> read_cold(const ServerSetting& setting);      // what a cold disk delays

}  // namespace arkvory::bench
